import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Import } from '@earshot/contracts'
import { type Client, createClient } from '@earshot/contracts/client'
import type { Database } from '@earshot/db'
import { request } from 'undici'
import type { Team } from '../teams.ts'

/** Seldom, because the polls are part of the cost. */
const POLL_MS = 500

/** The ids of an import, as the client takes them. */
export interface ImportRef {
  team_id: string
  project_id: string
  import_id: string
}

export function clientOf({ url }: { url: string }, { token }: Pick<Team, 'token'>): Client {
  return createClient({ baseUrl: url, token })
}

/** Reserves an import into the team's project, and uploads its file. It has not started yet. */
export async function uploadFile(
  service: { url: string },
  team: Team,
  path: string,
  options: { suppress_events?: boolean } = {},
): Promise<ImportRef> {
  const { size } = await stat(path)
  const project = { team_id: team.id, project_id: team.project_id }
  const created = await clientOf(service, team).imports.create({
    ...{ ...project, ...options },
    target: 'testimonials',
    file_name: 'testimonials.csv',
    size_bytes: size,
  })
  // The service does not know the port that it was given.
  const address = new URL(new URL(created.upload?.url ?? '').pathname, service.url)
  const response = await request(address, {
    method: 'PUT',
    headers: { authorization: `Bearer ${team.token}`, 'content-type': 'text/csv', 'content-length': String(size) },
    body: createReadStream(path),
  })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`The upload failed with ${response.statusCode}: ${text}`)
  return { ...project, import_id: created.id }
}

/** Starts an import and waits for its end. Throws unless it has created so many records. */
export async function runImport(service: { url: string }, team: Team, ref: ImportRef, rows: number): Promise<Import> {
  const client = clientOf(service, team)
  await client.imports.complete(ref)
  const ended = await waitFor(client, ref, ({ state }) => state !== 'running')
  if (ended.state !== 'completed' || ended.totals.created !== rows) {
    throw new Error(`The import of ${rows} rows ended as ${ended.state}: ${JSON.stringify({ ...ended.totals, error: ended.error })}`)
  }
  return ended
}

/** Polls an import until it is as expected. */
export async function waitFor(client: Client, ref: ImportRef, isExpected: (found: Import) => boolean): Promise<Import> {
  for (;;) {
    const found = await client.imports.retrieve(ref)
    if (isExpected(found)) return found
    await delay(POLL_MS)
  }
}

/** Waits until all events have their places in the change feed. */
export async function waitForNumbers({ client }: Database): Promise<void> {
  for (;;) {
    const [row] = await client<[{ wait: boolean }]>`select exists (select from unnumbered_events) as wait`
    if (!row.wait) return
    await delay(POLL_MS)
  }
}
