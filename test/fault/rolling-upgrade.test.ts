import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isLongForm } from '../support/form.ts'
import { makeOtherVersion } from '../support/other-version.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type Reply, type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const ROUNDS = isLongForm ? 5 : 1
const TEAMS = 4
/** Between two changes of replicas. */
const REQUESTS_EACH = 60
const MIN_REQUESTS = 300
const LIMIT_MS = 120_000 + ROUNDS * 120_000
/** Of pino's level 50. */
const ERROR_LINE = '{"level":50'

const { version: functionsVersion } = JSON.parse(readFileSync(new URL('../../db/functions/version.json', import.meta.url), 'utf8'))

/** The next version: a column with its function and its index, read by the service and written into events. */
const CHANGES = {
  'db/migrations/0900_edition.sql': `alter table submissions add column edition text not null default 'first edition';`,
  'db/migrations/0901_edition_idx.online.sql': 'create index concurrently submissions_edition_idx on submissions (edition);',
  'db/functions/submissions/edition.sql': `create or replace function edition_of(s submissions) returns text
    language sql stable as $$ select 'the ' || s.edition $$;`,
  'db/functions/submissions/submission.sql': { find: `'video_id', s.video_id,`, put: `'video_id', s.video_id, 'edition', edition_of(s),` },
  'db/functions/version.json': { find: `"version": ${functionsVersion}`, put: `"version": ${functionsVersion + 1}` },
  'db/src/tables/submissions.ts': { find: 'language: text(),', put: 'language: text(), edition: text(),' },
  'server/src/submissions/columns.ts': { find: 'language: row.language,', put: 'language: row.edition,' },
}

/** A running replica, and what it says of a submission without a language. */
interface Replica {
  service: ServiceProcess
  language: string | null
  inFlight: number
}

interface Seen {
  requests: number
  languages: Set<string | null>
  wrong: string[]
}

test('a version with a new column, function and index rolls over two replicas under load, forth, back and forth again: no 5xx, no wrong value', {
  timeout: LIMIT_MS,
}, async () => {
  await using remote = await openRemoteDatabase()
  using next = makeOtherVersion(CHANGES)
  const start = {
    old: async (): Promise<Replica> => ({ service: await startService(remote.environment), language: null, inFlight: 0 }),
    new: async (): Promise<Replica> => ({
      service: await startService(remote.environment, { main: next.main }),
      language: 'first edition',
      inFlight: 0,
    }),
  }
  const serving: Replica[] = await Promise.all([start.old(), start.old()])
  await using processes = new AsyncDisposableStack()
  processes.defer(async () => void (await Promise.all(serving.map(({ service }) => service.stop()))))
  const seen: Seen = { requests: 0, languages: new Set(), wrong: [] }
  const teams = await Promise.all(Array.from({ length: TEAMS }, () => makeTeam(remote.database)))
  const stopping = new AbortController()
  processes.defer(() => stopping.abort())
  const clients = teams.map((team) => work(serving, team, seen, stopping.signal))

  const logs: string[] = []
  let firstNewId = ''
  const rollTo = async (version: 'old' | 'new') => {
    for (let slot = 0; slot < 2; slot += 1) {
      // As a balancer does: no requests for a process that stops, and again when the next one is ready.
      const [leaving] = serving.splice(0, 1)
      await until('the balancer has drained it', () => leaving?.inFlight === 0)
      const exit = await leaving?.service.stop()
      logs.push(exit?.output ?? '')
      expect(exit).toMatchObject({ code: 0 })
      serving.push(await start[version]())
      if (version === 'new') firstNewId ||= await newId(remote)
      const before = seen.requests
      await until('clients were served', () => seen.requests > before + REQUESTS_EACH || seen.wrong.length > 0)
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) for (const version of ['new', 'old', 'new'] as const) await rollTo(version)
  await until('the index is built', async () => (await indexState(remote)) === true)
  stopping.abort()
  await Promise.all(clients)

  console.log(`${seen.requests} requests`)
  expect(seen.wrong.slice(0, 5)).toEqual([])
  expect(seen.languages).toEqual(new Set([null, 'first edition']))
  expect(seen.requests).toBeGreaterThan(MIN_REQUESTS)
  // Every event since the new functions came is theirs, also those of old replicas that started later.
  expect(await eventsSince(remote, firstNewId)).toEqual({ withEdition: expect.any(Number), without: 0 })
  for (const output of [...logs, ...serving.map(({ service }) => service.output())])
    expect(output.split('\n').filter((line) => line.startsWith(ERROR_LINE))).toEqual([])
})

/** Does what a team’s backend and its visitors do, on any serving replica, and checks each response. */
async function work(serving: readonly Replica[], team: Team, seen: Seen, stop: AbortSignal): Promise<void> {
  const { token } = team
  const submissions = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
  const publicPlane = `/api/public/v1/projects/${team.publicKey}/`

  const ask = async (method: string, path: string, status: number, body?: object): Promise<Reply & Replica> => {
    const replica = serving[seen.requests % serving.length]
    if (!replica) throw new Error('No replica serves')
    seen.requests += 1
    replica.inFlight += 1
    const keyed = body && { body, headers: { 'idempotency-key': randomUUID() } }
    const reply = await replica.service.send(method, path, { token, ...keyed }).finally(() => {
      replica.inFlight -= 1
    })
    if (reply.status !== status) seen.wrong.push(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return { ...reply, ...replica }
  }
  const check = ({ status, body, language }: Reply & Replica, wanted: object) => {
    if (status >= 400) return
    seen.languages.add(language)
    for (const [name, value] of Object.entries({ ...wanted, language }))
      if (JSON.stringify(body[name]) !== JSON.stringify(value)) seen.wrong.push(`${name} of ${JSON.stringify(body)} is not ${value}`)
  }

  while (!stop.aborted && seen.wrong.length === 0) {
    const body = `Saved us a week. ${randomUUID()}`
    const created = await ask('POST', submissions, 201, { body, author: { name: 'Ada' }, consent: { granted: true } })
    check(created, { body, state: 'pending' })
    const one = `${submissions}${created.body.id}/`
    check(await ask('GET', one, 200), { body, state: 'pending' })
    check(await ask('PATCH', one, 200, { metadata: { body } }), { body, metadata: { body } })
    check(await ask('POST', `${one}approve/`, 200), { body, state: 'approved', metadata: { body } })
    const { body: page, language } = await ask('GET', `${submissions}?limit=5`, 200)
    for (const listed of page.results ?? []) if (listed.language !== language) seen.wrong.push(`listed ${JSON.stringify(listed)}`)
    await ask('POST', `${publicPlane}submissions/`, 201, { body, author: { name: 'Ada' }, consent: { granted: true } })
    await ask('GET', `${publicPlane}items/`, 200)
    await ask('GET', '/api/v1/me/', 200)
  }
}

async function newId({ database }: RemoteDatabase): Promise<string> {
  const [row] = await database.run<{ id: string }>('select uuidv7() as id', [])
  return row?.id ?? ''
}

async function indexState({ database }: RemoteDatabase): Promise<boolean | undefined> {
  const text = `select indisvalid as valid from pg_index where indexrelid = to_regclass('submissions_edition_idx')`
  const [row] = await database.run<{ valid: boolean }>(text, [])
  return row?.valid
}

async function eventsSince({ database }: RemoteDatabase, id: string) {
  const text = `
    select count(*) filter (where payload like '%"edition":"the first edition"%' or payload like '%"edition" : "the first edition"%')::int as "withEdition",
           count(*) filter (where payload not like '%"the first edition"%')::int as without
      from events where id > $1 and type like 'submission.%'`
  const [row] = await database.run<{ withEdition: number; without: number }>(text, [id])
  return row
}
