import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { contracts } from '@earshot/contracts'
import type postgres from 'postgres'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { isLongForm } from '../support/form.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openRemoteDatabase } from '../support/remote-database.ts'
import { type Reply, type ServiceProcess, startService } from '../support/service-process.ts'

const RUN_MS = isLongForm ? 10 * 60_000 : 8_000
const TEAMS = 8
const CLIENTS_PER_TEAM = 2
const MIN_REQUESTS_PER_SECOND = 20
/** Method, path and the beginning of the problem. */
const KIND_CHARACTERS = 120
const EVERY_MS = { change: 700, cancel: 60, terminate: 350 }
/** Tables that every request reads, and those that it writes. */
const TABLES = ['submissions', 'projects', 'teams', 'memberships', 'users', 'credentials', 'public_keys', 'rate_windows']
/** Of pino's level 50. */
const ERROR_LINE = '{"level":50'
/** A cancelled statement, a broken connection, and a caller who waits for a lock too long. */
const EXCUSED = ['dependency_unavailable', 'idempotency_in_progress']

/** A team, and the words that stand in all it sends. */
interface Marked extends Team {
  mark: string
}

interface Seen {
  requests: number
  excused: number
  /** What no client may ever see, described. */
  wrong: string[]
}

test('while tables change, statements are cancelled and connections break, every response is of the team that asked', {
  timeout: RUN_MS + 120_000,
}, async () => {
  await using remote = await openRemoteDatabase()
  await using one = await startService({ ...remote.environment, EARSHOT_ROLE: 'api' })
  await using other = await startService({ ...remote.environment, EARSHOT_ROLE: 'api' })
  const teams = await Promise.all(
    Array.from({ length: TEAMS }, async (): Promise<Marked> => ({ ...(await makeTeam(remote.database)), mark: `mark-${randomUUID()}` })),
  )
  // From now on no list is empty.
  for (const team of teams) await team.submit({ body: team.mark })
  const seen: Seen = { requests: 0, excused: 0, wrong: [] }
  const ends = performance.now() + RUN_MS
  const clients = teams.flatMap((team) =>
    Array.from({ length: CLIENTS_PER_TEAM }, (_, number) => work(number % 2 ? one : other, team, { teams, seen, ends })),
  )
  await Promise.all([remote.asOwner((sql) => changeTables(sql, ends)), remote.asOwner((sql) => breakStatements(sql, ends)), ...clients])
  console.log(`${seen.requests} requests, ${seen.excused} of them 503 or 409, ${seen.wrong.length} wrong`)
  for (const service of [one, other]) for (const line of service.output().split('\n')) if (line.startsWith(ERROR_LINE)) console.log(line)
  expect(firstOfEachKind(seen.wrong)).toEqual([])
  expect(seen.requests - seen.excused).toBeGreaterThan((RUN_MS / 1_000) * MIN_REQUESTS_PER_SECOND)
  // The guard behind the first line of defence had nothing to do.
  for (const service of [one, other]) expect(service.output()).not.toContain('row of another team')
})

/** Returns one example of each kind of problem, so that many of one do not hide another. */
function firstOfEachKind(wrong: readonly string[]): string[] {
  const kinds = Map.groupBy(wrong, (problem) => problem.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|pk_\w+/g, '…').slice(0, KIND_CHARACTERS))
  return [...kinds.values()].map(([first = '', ...others]) => `${others.length + 1} × ${first}`)
}

/** Adds a column to a table and drops it, again and again, as upgrades do. */
async function changeTables(sql: postgres.Sql, ends: number): Promise<void> {
  await sql.unsafe("set lock_timeout = '1s'")
  for (let round = 0; performance.now() < ends; round += 1) {
    const table = TABLES[round % TABLES.length]
    await sql.unsafe(`alter table ${table} add column added_${round} text default 'added'`).catch(() => {})
    await delay(EVERY_MS.change)
    if (round % 2) await sql.unsafe(`alter table ${table} drop column if exists added_${round}`).catch(() => {})
  }
}

/** Cancels statements and ends connections of the service, at random. */
async function breakStatements(sql: postgres.Sql, ends: number): Promise<void> {
  const hit = async (signal: 'pg_cancel_backend' | 'pg_terminate_backend') => {
    while (performance.now() < ends) {
      await delay(EVERY_MS[signal === 'pg_cancel_backend' ? 'cancel' : 'terminate'])
      await sql.unsafe(`
        select ${signal}(pid)
          from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name like 'earshot%' and application_name <> 'earshot test'
         order by random()
         limit 1`)
    }
  }
  await Promise.all([hit('pg_cancel_backend'), hit('pg_terminate_backend')])
}

/** Does what a team’s backend and its visitors do, and checks each response. */
async function work(
  service: ServiceProcess,
  team: Marked,
  { teams, seen, ends }: { teams: Marked[]; seen: Seen; ends: number },
): Promise<void> {
  const foreign = teams
    .filter(({ id }) => id !== team.id)
    .flatMap(({ id, mark, ownerId, project, publicKey }) => [id, mark, ownerId, project.project_id, publicKey])
  const { token } = team
  const inProject = `/api/v1/teams/${team.id}/projects/${team.project.project_id}`

  /** Sends a request and checks its response. Returns the body of a success, null for an error that is excused. */
  const ask = async <Output extends z.ZodType>(
    method: string,
    path: string,
    { output, status }: { output: Output; status: number },
    request: Parameters<ServiceProcess['send']>[2] = {},
  ): Promise<z.output<Output> | null> => {
    const reply = await service.send(method, path, request)
    seen.requests += 1
    const problem = problemOf(reply, { status, output, foreign })
    if (problem) seen.wrong.push(`${method} ${path}: ${problem}`)
    if (reply.status === status) return reply.body
    seen.excused += 1
    return null
  }
  const keyed = () => ({ token, headers: { 'idempotency-key': randomUUID() } })
  const { submissions, me, projects } = contracts

  while (performance.now() < ends) {
    const body = `${team.mark} ${randomUUID()}`
    const created = await ask(
      'POST',
      `${inProject}/submissions/`,
      { output: submissions.create.output, status: 201 },
      {
        ...keyed(),
        body: { body, author: { name: 'Ada' } },
      },
    )
    const path = created && `${inProject}/submissions/${created.id}/`
    if (path) {
      await ask('GET', path, { output: submissions.retrieve.output, status: 200 }, { token })
      const changed = { ...keyed(), body: { metadata: { mark: team.mark } } }
      await ask('PATCH', path, { output: submissions.update.output, status: 200 }, changed)
      await ask(
        'PATCH',
        path,
        { output: submissions.update.output, status: 200 },
        { token, body: { metadata: { mark: `${team.mark} again` } } },
      )
      await ask('POST', `${path}approve/`, { output: submissions.approve.output, status: 200 }, { token })
    }
    const page = await ask('GET', `${inProject}/submissions/?limit=5`, { output: submissions.list.output, status: 200 }, { token })
    if (page?.results.length === 0) seen.wrong.push('an empty list')
    await ask('GET', '/api/v1/me/', { output: me.retrieve.output, status: 200 }, { token })
    await ask('GET', `/api/v1/teams/${team.id}/projects/`, { output: projects.list.output, status: 200 }, { token })
    const words = { body: `${team.mark} ${randomUUID()}`, author: { name: 'Ada' }, consent: { granted: true } }
    const publicPath = `/api/public/v1/projects/${team.publicKey}`
    await ask(
      'POST',
      `${publicPath}/submissions/`,
      { output: contracts.public.submissions.create.output, status: 201 },
      {
        body: words,
      },
    )
    await ask('GET', `${publicPath}/items/`, { output: contracts.public.items.list.output, status: 200 })
  }
}

/** Returns what is wrong with a response, null for nothing. */
function problemOf({ status, body }: Reply, expected: { status: number; output: z.ZodType; foreign: readonly string[] }): string | null {
  const text = JSON.stringify(body)
  const foreignId = expected.foreign.find((id) => text.includes(id))
  if (foreignId) return `${foreignId} of another team in ${text}`
  if (status !== expected.status) return EXCUSED.includes(body?.code) ? null : `${status} ${text}`
  const { success, error } = expected.output.safeParse(body)
  return success ? null : `another shape: ${error.message} in ${text}`
}
