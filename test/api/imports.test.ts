import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsOf, importFile, importsPath, testimonialsOf, usedRows } from '../support/imports.ts'
import { measureLateness } from '../support/lateness.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const CSV = 'name,email,text,rating,date\nAda,ada@example.com,"Saved us, truly, a week.",5,2026-11-20\nCharles,,Fine.,4,\n'

let service: TestService
let team: Team
let worker: Awaited<ReturnType<typeof startWholeWorker>>
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
  team = await makeTeam(service.database)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 1_000 })
  await service.close()
})

test('rows become pending testimonials, with both events and one import.completed, and use up their own quota', async () => {
  const done = await importFile(service, team, { csv: CSV })
  expect(done).toMatchObject({
    state: 'completed',
    columns: ['name', 'email', 'text', 'rating', 'date'],
    mapping: { name: 'author.name', email: 'author.email', text: 'body', rating: 'rating', date: 'source.collected_at' },
    dedupe_by: 'email+body',
    preview: null,
    error: null,
    totals: { rows: 2, created: 2, updated: 0, skipped: 0, failed: 0, removed: 0 },
    started_at: expect.any(String),
    finished_at: expect.any(String),
  })
  expect(await testimonialsOf(service, team)).toMatchObject([
    {
      ...{ state: 'pending', channel: 'import', body: 'Saved us, truly, a week.', rating: 5, import_id: done.id },
      author: { name: 'Ada', email: 'ada@example.com' },
      source: { collected_at: '2026-11-20T00:00:00.000Z' },
      consent: { granted: false },
    },
    { body: 'Fine.', author: { name: 'Charles', email: null } },
  ])
  const { types, results } = await eventsOf(service, team)
  expect(types.toSorted()).toEqual([
    'import.completed',
    ...['submission.created', 'submission.created', 'testimonial.created', 'testimonial.created'],
  ])
  const completed = results.find(({ type }: { type: string }) => type === 'import.completed')
  expect(completed.data.import).toEqual(done)
  const announced = results.filter(({ type }: { type: string }) => type === 'testimonial.created')
  expect(announced.map((event: { data: object }) => event.data)).toEqual(
    (await testimonialsOf(service, team)).map((testimonial) => ({ testimonial })),
  )
  expect(await usedRows(service, team)).toEqual({ imported: 2, submissions: 0 })
})

test('suppress_events leaves import.completed alone', async () => {
  const quiet = await makeTeam(service.database)
  await importFile(service, quiet, { csv: CSV, suppress_events: true })
  expect((await eventsOf(service, quiet)).types).toEqual(['import.completed'])
  expect(await testimonialsOf(service, quiet)).toHaveLength(2)
})

test('the consent of the request counts where the file has no column about it', async () => {
  const other = await makeTeam(service.database)
  const consent = { granted: true, text: 'They agreed when they sent it.' }
  await importFile(service, other, { csv: CSV, consent })
  await importFile(service, other, { csv: 'body,consent.granted\nNo.,false\nYes.,true\n', consent })
  const granted = (await testimonialsOf(service, other)).map(({ body, consent }) => [body, consent.granted, consent.text])
  expect(granted).toEqual([
    ['Saved us, truly, a week.', true, consent.text],
    ['Fine.', true, consent.text],
    ['No.', false, null],
    ['Yes.', true, null],
  ])
})

test('a dry run stores nothing and says what would happen; its file can be imported next, once', async () => {
  const other = await makeTeam(service.database)
  const dryRun = await importFile(service, other, {
    csv: `${CSV}Ada,ada@example.com,"Saved us, truly, a week.",5,\n,,,7,\n`,
    dry_run: true,
  })
  expect(dryRun).toMatchObject({
    state: 'completed',
    totals: { rows: 4, created: 2, skipped: 1, failed: 1 },
    preview: [{ body: 'Saved us, truly, a week.', author: { name: 'Ada', email: 'ada@example.com' } }, { body: 'Fine.' }, { rating: 5 }],
  })
  expect(await testimonialsOf(service, other)).toEqual([])
  expect((await eventsOf(service, other)).types).toEqual([])
  expect(await usedRows(service, other)).toEqual({ imported: 0, submissions: 0 })

  const done = await importFile(service, other, { dry_run_id: dryRun.id })
  expect(done.totals).toEqual(dryRun.totals)
  expect(await testimonialsOf(service, other)).toHaveLength(2)
  const body = { target: 'testimonials', file_name: 'file.csv', dry_run_id: dryRun.id }
  const again = await service.send('POST', importsPath(other), { token: other.token, body })
  expect(again).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'completed' } })
})

test('the preview hides addresses from those who may not see contacts', async () => {
  const dryRun = await importFile(service, team, { csv: CSV, dry_run: true })
  const token = await team.tokenOf('member', ['read:imports'])
  const { body } = await service.send('GET', importsPath(team, `${dryRun.id}/`), { token })
  expect(body.preview[0].author).toMatchObject({ name: 'Ada', email: null })
})

test('rows that fail are listed with their place and text, which only those who see contacts read', async () => {
  const csv =
    'name,email,text,rating\nAda,ada@example.com,,5\nCharles,not an address,Fine.,4\nGrace,grace@example.com,Good.,seven\nAlan,,Great.,5\n'
  const done = await importFile(service, team, { csv })
  expect(done).toMatchObject({ state: 'completed', totals: { rows: 4, created: 1, failed: 3 } })
  const list = async (token: string) => (await service.send('GET', importsPath(team, `${done.id}/rows/`), { token })).body.results
  const rows = await list(team.token)
  expect(rows.map(({ row, line, column }: { row: number; line: number; column: string }) => [row, line, column])).toEqual([
    [3, 4, 'rating'],
    [2, 3, 'email'],
    [1, 2, 'text'],
  ])
  expect(rows[1].text).toContain('not an address')
  expect(rows.every(({ detail }: { detail: string }) => !/address@|seven|ada@/.test(detail))).toBe(true)
  expect((await list(await team.tokenOf('viewer'))).map(({ text }: { text: string | null }) => text)).toEqual([null, null, null])
})

test('a request names exactly one source of rows', async () => {
  for (const sources of [{}, { csv: file(), size_bytes: 3 }, { csv: file(), dry_run_id: '01a20fcf-110b-7c03-8299-60c36fdc72c8' }]) {
    const answer = await service.send('POST', importsPath(team), {
      token: team.token,
      body: { target: 'testimonials', file_name: 'file.csv', ...sources },
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'csv' }] } })
  }
  function file() {
    return 'text\nWords.\n'
  }
})

test('a request brings up to a million characters of a file, by REST and by tRPC; other requests stay small', async () => {
  const csv = `text\n${'x'.repeat(9_999)}\n`.repeat(1)
  const large = `text\n${`${'x'.repeat(9_000)}\n`.repeat(110)}`
  expect(large.length).toBeGreaterThan(900_000)
  expect((await importFile(service, team, { csv: large, suppress_events: true })).totals).toMatchObject({ rows: 110 })
  const input = { ...team.project, target: 'testimonials', file_name: 'file.csv', csv: large, suppress_events: true, dry_run: true }
  const called = await service.send('POST', '/trpc/imports.create', { token: team.token, body: input })
  expect(called.status).toBe(200)
  const tooLarge = await service.send('POST', importsPath(team), {
    token: team.token,
    body: { target: 'testimonials', file_name: 'file.csv', csv: `${large}${csv.repeat(200)}` },
  })
  expect(tooLarge).toMatchObject({ status: 413, body: { code: 'body_too_large', limit_bytes: 2_097_152 } })
  const elsewhere = await service.send('POST', importsPath(team).replace('imports', 'testimonials'), {
    token: team.token,
    body: { body: 'x'.repeat(1_500_000) },
  })
  expect(elsewhere).toMatchObject({ status: 413, body: { code: 'body_too_large', limit_bytes: 1_048_576 } })
})

test('deliveries of an import are due one after the other, so that live ones find a place', async () => {
  const other = await makeTeam(service.database)
  await using receiver = await startReceiver()
  await service.client(other.token).webhooks.create({ team_id: other.id, url: receiver.url, events: ['*'] })
  const csv = `email,text\n${Array.from({ length: 600 }, (_row, number) => `person${number}@example.com,Words ${number}.`).join('\n')}\n`
  const done = await importFile(service, other, { csv })
  const due = await service.database.run<{ seconds: number; count: number }>(
    `select extract(epoch from max(next_attempt_at) - now())::float8 as seconds, count(*)::int as count
       from webhook_deliveries where team_id = $1 and event_type <> 'import.completed'`,
    [other.id],
  )
  // 1,200 events, 20 ms apart.
  expect(due[0]?.seconds).toBeGreaterThan(20)
  expect(due[0]?.seconds).toBeLessThan(24.1)
  const isCompleted = ({ headers }: { headers: Record<string, unknown> }) => headers['x-service-event'] === 'import.completed'
  using lateness = measureLateness()
  const startedAt = performance.now()
  await until('its completion is delivered', () => receiver.requests.some(isCompleted))
  expect(performance.now() - startedAt).toBeLessThan(5_000 + lateness.seconds() * 1_000)
  expect(receiver.requests.filter(isCompleted).map(({ body }) => JSON.parse(String(body)).data.import.id)).toEqual([done.id])
  await service.database.run('delete from webhook_deliveries where team_id = $1', [other.id])
})
