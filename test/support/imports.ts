import type { Import, Testimonial } from '@earshot/contracts'
import { expect } from 'vitest'
import type { Team } from './people.ts'
import type { TestService } from './test-service.ts'
import { until } from './until.ts'

/** The largest time that a test waits for an import, of up to 150,000 rows on a slow and busy machine. */
const LIMIT_MS = 250_000
/** Asking more often takes the processor from the import. */
const INTERVAL_MS = 50

/** What a test sends to import a file. */
export interface ImportRequest {
  csv?: string
  size_bytes?: number
  dry_run_id?: string
  [option: string]: unknown
}

/** A service in this process or in another one. */
interface Sender {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  send: (method: string, path: string, options?: { token?: string; body?: unknown }) => Promise<{ status: number; body: any }>
}

/** Returns the address of a team's imports, or of a part of them. */
export function importsPath({ project }: Pick<Team, 'project'>, rest = ''): string {
  return `/api/v1/teams/${project.team_id}/projects/${project.project_id}/imports/${rest}`
}

/** Creates an import. */
export async function createImport(
  service: Sender,
  team: Team,
  request: ImportRequest,
): Promise<Import & { upload: { url: string } | null }> {
  const body = { target: 'testimonials', file_name: 'file.csv', ...request }
  const created = await service.send('POST', importsPath(team), { token: team.token, body })
  expect(created).toMatchObject({ status: 202 })
  return created.body
}

/** Waits until an import does not run any more, and returns it. */
export async function endOf(service: Sender, team: Team, { id }: { id: string }): Promise<Import> {
  let found: Import | undefined
  await until(
    'the import has ended',
    async () => {
      found = (await service.send('GET', importsPath(team, `${id}/`), { token: team.token })).body as Import
      return found.state !== 'running' && !(found.state === 'undone' && found.finished_at === null)
    },
    LIMIT_MS,
    INTERVAL_MS,
  )
  return found as Import
}

/** Imports a file and waits for the end. */
export async function importFile(service: Sender, team: Team, request: ImportRequest): Promise<Import> {
  return endOf(service, team, await createImport(service, team, request))
}

/** Uploads the bytes of a reserved import. */
export function upload(service: TestService, team: Team, { id }: { id: string }, body: string | Uint8Array) {
  return service.send('PUT', importsPath(team, `${id}/file/`), { token: team.token, body, headers: { 'content-type': 'text/csv' } })
}

/** Lists the testimonials of a team, oldest first. */
export async function testimonialsOf(
  service: TestService,
  { token, project }: Team,
  filter: { import_id?: string } = {},
): Promise<Testimonial[]> {
  return (await Array.fromAsync(service.client(token).testimonials.list({ ...project, ...filter, limit: 100 }))).toReversed()
}

/** Returns the units that a team has used of two quotas. */
export async function usedRows(service: TestService, { id, token }: Team): Promise<{ imported: number; submissions: number }> {
  const { body } = await service.send('GET', `/api/v1/teams/${id}/usage/`, { token })
  const used = (name: string) => body.quotas.find(({ quota }: { quota: string }) => quota === name).used
  return { imported: used('imported_rows'), submissions: used('submissions') }
}

/** Returns the events of a team once all are numbered, oldest first. */
export async function eventsOf(service: TestService, { id, token }: Team) {
  await until('all events are numbered', async () => (await service.database.run('select from unnumbered_events', [])).length === 0)
  const { body } = await service.send('GET', `/api/v1/teams/${id}/events/?limit=100`, { token })
  return { types: body.results.map(({ type }: { type: string }) => type) as string[], results: body.results }
}
