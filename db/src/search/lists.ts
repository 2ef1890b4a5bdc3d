import { type SQL, sql } from 'drizzle-orm'
import { search_lists } from '../tables/search.ts'
import { submissions } from '../tables/submissions.ts'
import { survey_responses } from '../tables/surveys.ts'

/** A list that people search: the submissions of a project, or the responses to a survey. */
export interface ListRef {
  team_id: string
  project_id: string
  /** The project for its submissions, else the survey. */
  list_id: string
}

/** Records younger than this are not indexed: an older transaction may still commit a record with a lower id. */
export const MIN_AGE_SECONDS = 60

/** What a search finds a submission by, of the alias `s`. */
export function submissionText({ withEmail }: { withEmail: boolean }): SQL {
  return sql`concat_ws(' ', s.title, s.body, s.author_name, s.author_company${withEmail ? sql`, s.author_email` : sql``})`
}

/** What a search finds a response by, of the alias `s`: the words of its answers, and its respondent's name. */
export function responseText({ withEmail }: { withEmail: boolean }): SQL {
  const types = ['short_text', 'long_text', 'url', ...(withEmail ? ['email'] : [])]
  return sql`concat_ws(' ', s.respondent_name${withEmail ? sql`, s.respondent_email` : sql``}, (
             select string_agg(a->>'value', ' ')
               from jsonb_array_elements(s.answers) a
              where a->>'type' in (${sql.raw(types.map((type) => `'${type}'`).join(', '))})
           ))`
}

/** The records of a list and their texts. E-mail addresses are indexed too: the search itself decides who finds by them. */
interface Source {
  /** A table, of the alias `s`. */
  records: SQL
  /** The column with the id of the list. */
  list: SQL
  text: SQL
}

export const sources = {
  submissions: { records: sql`${submissions} s`, list: sql`s.project_id`, text: submissionText({ withEmail: true }) },
  responses: { records: sql`${survey_responses} s`, list: sql`s.survey_id`, text: responseText({ withEmail: true }) },
} satisfies Record<string, Source>

/** Returns which records a list is of. */
export function sourceOf({ project_id, list_id }: ListRef): keyof typeof sources {
  return list_id === project_id ? 'submissions' : 'responses'
}

/** Part of a fold: lists with new records become due. The changes are named `changes`. */
export function noteDueLists(listId: SQL): SQL {
  const dueAt = sql.raw(`now() + interval '${MIN_AGE_SECONDS} seconds'`)
  return sql`
    insert into ${search_lists} as l (team_id, project_id, list_id, due_at)
    select distinct c.team_id, c.project_id, ${listId}, ${dueAt}
      from changes c
        on conflict (team_id, project_id, list_id) do update
       set due_at = excluded.due_at
     where l.due_at is null or l.due_at > excluded.due_at`
}
