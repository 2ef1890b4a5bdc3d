import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import type { ProjectRef } from '../projects.ts'
import { statement } from '../sql/statement.ts'
import type { NewSubmission } from '../submissions/create.ts'
import type { ImportRow } from '../tables/imports.ts'
import { submissions } from '../tables/submissions.ts'

/** A record that is there already. */
interface KnownRecord {
  team_id: string
  id: string
  /** Whether an import may still change it: imported, and nobody has decided on it. */
  is_open: boolean
  /** Which of the values that were looked for it has, counted from 1. */
  number: number
}

/** The records that rows may stand for. */
export interface KnownRecords {
  /** By what makes two rows the same record. */
  byKey: ReadonlyMap<string, KnownRecord>
  /** By external id, which only one record of a project has. */
  byExternalId: ReadonlyMap<string, KnownRecord>
}

const isOpen = sql`s.channel = 'import' and s.state = 'pending'`

// Each by itself: a plan for all of them at once could read the whole project. And in the order of the index that is meant, by a
// range of one value: for a small project, or one that is not in the statistics, all indexes cost the planner the same, and it
// would keep whichever it took.
const findByExternalId = statement<ProjectRef & { external_ids: string[] }, KnownRecord>(
  (p) => sql`
  select s.team_id, s.id, s.is_open, k.number::int as number
    from unnest(${p.external_ids}::text[]) with ordinality k (external_id, number)
   cross join lateral (
           select s.team_id, s.id, ${isOpen} as is_open
             from ${submissions} s
            where s.team_id = ${p.team_id} and s.project_id = ${p.project_id}
              and s.external_id >= k.external_id and s.external_id <= k.external_id
              and s.external_id is not null and s.deleted_at is null
            order by s.external_id
            limit 1
         ) s`,
)

// Wherever in the team: few of the people of a file are known to it, and the words of the others need not be looked for.
const findPeople = statement<{ team_id: string; emails: string[] }, { team_id: string; number: number }>(
  (p) => sql`
  select s.team_id, k.number::int as number
    from unnest(${p.emails}::text[]) with ordinality k (email, number)
   cross join lateral (
           select s.team_id
             from ${submissions} s
            where s.team_id = ${p.team_id} and lower(s.author_email) >= lower(k.email) and lower(s.author_email) <= lower(k.email)
              and s.author_email is not null
            order by lower(s.author_email)
            limit 1
         ) s`,
)

const words = sql`hashtextextended(lower(s.author_email) || E'\\n' || s.body, 0)`
const wanted = sql`hashtextextended(lower(k.email) || E'\\n' || k.body, 0)`
/** Records of the same words of which one is chosen. */
const MAX_SAME = 20

// The first one that is still open to changes, so that a row finds the same record each time.
const findByWords = statement<ProjectRef & { emails: string[]; bodies: string[] }, KnownRecord>(
  (p) => sql`
  select s.team_id, s.id, s.is_open, k.number::int as number
    from unnest(${p.emails}::text[], ${p.bodies}::text[]) with ordinality k (email, body, number)
   cross join lateral (
           select same.*
             from (
                    select s.team_id, s.id, ${isOpen} as is_open
                      from ${submissions} s
                     where s.team_id = ${p.team_id} and s.project_id = ${p.project_id}
                       and ${words} >= ${wanted} and ${words} <= ${wanted}
                       and lower(s.author_email) = lower(k.email) and s.body = k.body
                       and s.author_email is not null and s.deleted_at is null
                     order by ${words}
                     limit ${sql.raw(String(MAX_SAME))}
                  ) same
            order by same.is_open desc, same.id
            limit 1
         ) s`,
)

/** What two rows share that are the same record; null for a row that is always new. */
export function keyOf({ dedupe_by }: Pick<ImportRow, 'dedupe_by'>, { external_id, author_email, body }: NewSubmission): string | null {
  if (dedupe_by === 'external_id') return external_id ?? null
  return dedupe_by === 'email+body' && author_email ? `${author_email.toLowerCase()}\n${body}` : null
}

/**
 * Finds the records that rows stand for. With `isTaken` it finds those that have their external ids too: seldom does another
 * record have one, and then the insert fails.
 */
export async function findKnownRecords(
  tx: Tx,
  row: Pick<ImportRow, 'team_id' | 'project_id' | 'dedupe_by'>,
  { all, isTaken }: { all: readonly NewSubmission[]; isTaken: boolean },
): Promise<KnownRecords> {
  const isKey = row.dedupe_by === 'external_id'
  const byExternalId = isKey || isTaken ? await recordsByExternalId(tx, row, all) : new Map<string, KnownRecord>()
  if (isKey) return { byKey: byExternalId, byExternalId }
  return { byKey: row.dedupe_by === 'email+body' ? await recordsByWords(tx, row, all) : new Map(), byExternalId }
}

async function recordsByExternalId(tx: Tx, { team_id, project_id }: ProjectRef, all: readonly NewSubmission[]) {
  const external_ids = all.flatMap(({ external_id }) => external_id ?? [])
  if (external_ids.length === 0) return new Map<string, KnownRecord>()
  const found = await findByExternalId(tx, { team_id, project_id, external_ids })
  return new Map(found.map((record) => [external_ids[record.number - 1] ?? '', record]))
}

async function recordsByWords(tx: Tx, row: Pick<ImportRow, 'team_id' | 'project_id' | 'dedupe_by'>, all: readonly NewSubmission[]) {
  const { team_id, project_id } = row
  const named = all.filter(({ author_email }) => author_email)
  if (named.length === 0) return new Map<string, KnownRecord>()
  const people = await findPeople(tx, { team_id, emails: named.map(emailOf) })
  const candidates = people.map(({ number }) => named[number - 1] as NewSubmission)
  if (candidates.length === 0) return new Map<string, KnownRecord>()
  const bodies = candidates.map(({ body }) => body)
  const found = await findByWords(tx, { team_id, project_id, emails: candidates.map(emailOf), bodies })
  return new Map(found.map((record) => [keyOf(row, candidates[record.number - 1] as NewSubmission) ?? '', record]))
}

function emailOf({ author_email }: NewSubmission): string {
  return author_email ?? ''
}
