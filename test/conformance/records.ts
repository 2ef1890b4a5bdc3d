import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Survey } from '@earshot/contracts'
import { type Client, createClient } from '@earshot/contracts/client'
import type { Team } from '../support/people.ts'
import { account } from './account.ts'
import { TOP } from './command.ts'

const DIRECTORY = join(TOP, '.conformance/records')
const SUBMISSIONS = 10
/** No more than the limit of a minute. */
const UPLOADS = 5
/** Requests rename and delete them. */
const TAGS = Array.from({ length: 20 }, (_value, index) => `tag ${index}`)

/** The records that Schemathesis works with. */
export interface Records {
  /** The owner's token, with every scope. */
  token: string
  /** Input of hooks.py: the service's address, ids to keep, and values that only the service can issue. */
  forHooks: {
    url: string
    kept: string[]
    team_id: string
    project_id: string
    survey_id: string
    cursor: string | null
    feed_cursor: string | null
    tag_cursor: string | null
    form_token: string
    receiver: string
    account: { email: string; password: string }
  }
}

/** Fills a team with records of every kind, and writes their ids to the dictionaries that schemathesis.toml names. */
export async function makeRecords(url: string, team: Team, receiver: string): Promise<Records> {
  const client = createClient({ baseUrl: url, token: team.token })
  const { team_id, project_id } = team.project
  const webhook = await client.webhooks.create({ team_id, url: receiver, events: ['*'] })
  const revokeTokens = await submit(client, team.publicKey)

  const submissions = await client.submissions.list({ ...team.project, limit: SUBMISSIONS - 1 })
  const deliveries = await client.webhooks.deliveries.list({ team_id, webhook_id: webhook.id })
  const feed = await client.events.list({ team_id })
  const testimonial = await client.testimonials.create({
    ...team.project,
    body: 'It saved us a week.',
    author: { name: 'Ada' },
    tags: TAGS,
  })
  const survey = await makeSurvey(client, team)
  const response = { survey_version: survey.version, answers: survey.questions.map(({ id }) => ({ question_id: id, value: 9 })) }
  const responses = [
    await client.responses.create({ ...team.project, survey_id: survey.id, ...response }),
    await client.responses.create({ ...team.project, survey_id: survey.id, ...response }),
  ]
  const widget = await client.widgets.create({ ...team.project, name: 'Home page', layout: 'wall' })
  const uploads = await reserveUploads(client, team)
  const tags = await client.tags.list({ ...team.project, limit: 1 })
  const keys = await client.publicKeys.list(team.project)
  const { credential } = await client.me.retrieve()
  const { form_token } = await client.public.projects.retrieve({ public_key: team.publicKey })

  writeDictionary('teams', [team_id])
  writeDictionary('projects', [project_id])
  writeDictionary('public_keys', [team.publicKey])
  writeDictionary('submissions', idsOf(submissions))
  writeDictionary('testimonials', [testimonial.id])
  writeDictionary('tags', TAGS)
  writeDictionary('surveys', [survey.id])
  writeDictionary('widgets', [widget.id])
  writeDictionary('responses', idsOf({ results: responses }))
  writeDictionary('webhooks', [webhook.id])
  writeDictionary('deliveries', idsOf(deliveries))
  writeDictionary('revoke_tokens', revokeTokens)
  writeDictionary(
    'videos',
    uploads.map(({ id }) => id),
  )
  writeDictionary(
    'upload_tokens',
    uploads.map(({ token }) => token),
  )
  const kept = [
    team_id,
    project_id,
    webhook.id,
    testimonial.id,
    survey.id,
    widget.id,
    ...idsOf({ results: responses }),
    credential.id,
    ...idsOf(keys),
    ...idsOf(submissions),
  ]
  const givenOut = {
    cursor: submissions.next_cursor,
    feed_cursor: feed.next_cursor,
    tag_cursor: tags.next_cursor,
    form_token,
    account,
    survey_id: survey.id,
    response,
  }
  return { token: team.token, forHooks: { url, kept, team_id, project_id, receiver, ...givenOut } }
}

/** Creates public submissions. Resolves to their revoke tokens. */
async function submit(client: Client, public_key: string): Promise<string[]> {
  const receipts = Array.from({ length: SUBMISSIONS }, (_, index) =>
    client.public.submissions.create({
      public_key,
      body: `The feedback of visitor ${index}.`,
      author: { name: 'Ada' },
      consent: { granted: true },
    }),
  )
  return (await Promise.all(receipts)).map(({ revoke_token }) => revoke_token ?? '')
}

/** Reserves uploads of visitors, with what is needed to submit their drafts. */
async function reserveUploads(client: Client, { publicKey }: Team): Promise<{ id: string; token: string }[]> {
  const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: null, draft: { author: { name: 'Ada' } } }
  const reserved = Array.from({ length: UPLOADS }, () => client.public.uploads.reserve({ public_key: publicKey, ...file }))
  return (await Promise.all(reserved)).map(({ id, upload }) => ({ id, token: upload.token }))
}

/** Creates a survey that takes responses. */
async function makeSurvey({ surveys }: Client, { project }: Team): Promise<Survey> {
  const questions = [{ ref: 'recommend', type: 'nps' as const, title: 'How likely are you to recommend us?' }]
  const { id: survey_id } = await surveys.create({ ...project, name: 'Survey', questions })
  return surveys.publish({ ...project, survey_id })
}

function idsOf({ results }: { results: readonly { id: string }[] }): string[] {
  return results.map(({ id }) => id)
}

/** Writes one quoted value per line. */
function writeDictionary(name: string, values: readonly string[]): void {
  mkdirSync(DIRECTORY, { recursive: true })
  writeFileSync(join(DIRECTORY, `${name}.dict`), `${values.map((value) => JSON.stringify(value)).join('\n')}\n`)
}
