import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImport, endOf, importFile, importsPath, testimonialsOf, upload } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const ROWS = 12_000
/** Every so many rows are of the person who is erased. */
const EVERY = 10
const ERASED = 'Jane.Doe@example.com'

let service: TestService
let worker: Awaited<ReturnType<typeof startWholeWorker>>
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 1_000 })
  await service.close()
})

test('an erased person is not imported again, by any spelling of the address', async () => {
  const team = await makeTeam(service.database)
  const csv = 'email,text\njane.doe@example.com,First.\nada@example.com,Second.\n'
  await importFile(service, team, { csv })
  await erase(team)
  expect((await testimonialsOf(service, team)).map(({ body }) => body)).toEqual(['Second.'])

  const again = `email,text,rating\nJANE.DOE@EXAMPLE.COM,Third.,5\n${ERASED},Fourth.,no rating\nada@example.com,Fifth.,5\n`
  const dryRun = await importFile(service, team, { csv: again, dry_run: true })
  expect(dryRun.totals).toMatchObject({ rows: 3, created: 1, skipped: 2, failed: 0 })
  const done = await importFile(service, team, { csv: again })
  expect(done.totals).toEqual(dryRun.totals)
  expect((await testimonialsOf(service, team)).map(({ body }) => body)).toEqual(['Second.', 'Fifth.'])
  // Another team has erased nobody.
  const other = await makeTeam(service.database)
  expect((await importFile(service, other, { csv })).totals).toMatchObject({ created: 2, skipped: 0 })
})

test('of two imports and an erasure of the same person at once, nothing of the person is left', { timeout: 120_000 }, async () => {
  const team = await makeTeam(service.database)
  const project_id = await makeSecondProject(team)
  const places = [team, { ...team, project: { team_id: team.id, project_id } }]
  const begun = await Promise.all(places.map((place, number) => begin(place, `of import ${number}`)))
  await until('both have stored rows of the person', async () => {
    const [row] = await service.database.run<{ projects: number }>(
      'select count(distinct project_id)::int as projects from submissions where team_id = $1 and lower(author_email) = lower($2)',
      [team.id, ERASED],
    )
    return row?.projects === 2
  })
  await erase(team, { waits: false })
  const ended = await Promise.all(begun.map(({ id }, number) => endOf(service, places[number] as Team, { id })))
  await until('the erasure has ended', async () => (await requestsOf(team)).every(({ state }) => state === 'completed'), 60_000)

  const others = (ROWS / EVERY) * (EVERY - 1)
  for (const { state, totals } of ended) {
    expect(state).toBe('completed')
    expect(totals.rows).toBe(ROWS)
    expect(totals.created + totals.skipped).toBe(ROWS)
    expect(totals.skipped).toBeGreaterThan(0)
  }
  const read = (text: string) =>
    service.database.run<{ count: number }>(text, [team.id, `%${ERASED.toLowerCase()}%`]).then(([row]) => row?.count)
  expect(await read('select count(*)::int as count from submissions s where team_id = $1 and lower(s::text) like $2')).toBe(0)
  expect(await read('select count(*)::int as count from events where team_id = $1 and lower(payload) like $2')).toBe(0)
  expect(await read('select count(*)::int as count from submissions where team_id = $1 and lower(author_email) not like $2')).toBe(
    2 * others,
  )
  const { pending } = await service.client(team.token).submissions.counts(team.project)
  expect(pending).toBe(others)
})

/** Creates a project whose imports run at the same time as those of the team’s first one: they are in another one of four queues. */
async function makeSecondProject(team: Team): Promise<string> {
  const queueOf = (id: string) => Number.parseInt(id.slice(-1), 16) % 4
  for (;;) {
    const { id } = await service.client(team.token).projects.create({ team_id: team.id, name: 'Second' })
    if (queueOf(id) !== queueOf(team.project.project_id)) return id
  }
}

async function begin(team: Team, words: string) {
  const lines = Array.from({ length: ROWS }, (_row, number) => {
    const email = number % EVERY === 3 ? ERASED : `person${number}@example.com`
    return `${email},Words ${number} ${words}.`
  })
  const file = `email,text\n${lines.join('\n')}\n`
  const reserved = await createImport(service, team, { size_bytes: file.length })
  expect((await upload(service, team, reserved, file)).status).toBe(200)
  await service.send('POST', importsPath(team, `${reserved.id}/complete/`), { token: team.token })
  return reserved
}

async function erase(team: Team, { waits = true } = {}): Promise<void> {
  await service.client(team.token).privacy.erase({ team_id: team.id, email: ERASED })
  if (waits) await until('the erasure has ended', async () => (await requestsOf(team)).every(({ state }) => state === 'completed'))
}

async function requestsOf({ id, token }: Team) {
  return (await service.client(token).privacy.requests.list({ team_id: id })).results
}
