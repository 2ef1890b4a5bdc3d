import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '@earshot/contracts/client'
import type { Team } from '../support/people.ts'
import { account } from './account.ts'
import { TOP } from './command.ts'

const DIRECTORY = join(TOP, '.conformance/records')
const SUBMISSIONS = 10

/** What Schemathesis works with. */
export interface Records {
  /** The owner's, with every scope. */
  token: string
  /** What hooks.py reads: where the service is, ids that must stay, and what only the service can give out. */
  forHooks: {
    url: string
    kept: string[]
    team_id: string
    project_id: string
    cursor: string | null
    feed_cursor: string | null
    form_token: string
    receiver: string
    account: { email: string; password: string }
  }
}

/** Fills a team with some of everything, and writes the ids as dictionaries that schemathesis.toml names. */
export async function makeRecords(url: string, team: Team, receiver: string): Promise<Records> {
  const client = createClient({ baseUrl: url, token: team.token })
  const { team_id, project_id } = team.project
  const webhook = await client.webhooks.create({ team_id, url: receiver, events: ['*'] })
  const revokeTokens = await submit(client, team.publicKey)

  const submissions = await client.submissions.list({ ...team.project, limit: SUBMISSIONS - 1 })
  const deliveries = await client.webhooks.deliveries.list({ team_id, webhook_id: webhook.id })
  const feed = await client.events.list({ team_id })
  const keys = await client.publicKeys.list(team.project)
  const { credential } = await client.me.retrieve()
  const { form_token } = await client.public.projects.retrieve({ public_key: team.publicKey })

  writeDictionary('teams', [team_id])
  writeDictionary('projects', [project_id])
  writeDictionary('public_keys', [team.publicKey])
  writeDictionary('submissions', idsOf(submissions))
  writeDictionary('webhooks', [webhook.id])
  writeDictionary('deliveries', idsOf(deliveries))
  writeDictionary('revoke_tokens', revokeTokens)
  const kept = [team_id, project_id, webhook.id, credential.id, ...idsOf(keys), ...idsOf(submissions)]
  const givenOut = { cursor: submissions.next_cursor, feed_cursor: feed.next_cursor, form_token, account }
  return { token: team.token, forHooks: { url, kept, team_id, project_id, receiver, ...givenOut } }
}

/** Leaves words as visitors do; resolves to what withdraws their consent. */
async function submit(client: Client, public_key: string): Promise<string[]> {
  const receipts = Array.from({ length: SUBMISSIONS }, (_, index) =>
    client.public.submissions.create({
      public_key,
      body: `The words of visitor ${index}.`,
      author: { name: 'Ada' },
      consent: { granted: true },
    }),
  )
  return (await Promise.all(receipts)).map(({ revoke_token }) => revoke_token ?? '')
}

function idsOf({ results }: { results: readonly { id: string }[] }): string[] {
  return results.map(({ id }) => id)
}

/** One quoted value a line. */
function writeDictionary(name: string, values: readonly string[]): void {
  mkdirSync(DIRECTORY, { recursive: true })
  writeFileSync(join(DIRECTORY, `${name}.dict`), `${values.map((value) => JSON.stringify(value)).join('\n')}\n`)
}
