import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImport, endOf, eventsOf, importFile, importsPath, testimonialsOf, upload, usedRows } from '../support/imports.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const CSV = 'name,email,text,rating,date\nAda,ada@example.com,"Saved us, truly, a week.",5,2026-11-20\nCharles,,Fine.,4,\n'

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

test('an import that uses up the quota stops, keeps its rows, and goes on after an upgrade', async () => {
  const small = await makeTeam(service.database)
  await service.database.run(
    `insert into quota_usage (team_id, quota, period, used) values ($1, 'imported_rows', date_trunc('month', now() at time zone 'UTC')::date, 49997)`,
    [small.id],
  )
  await service.database.run(`update teams set plan = 'pro' where id = $1`, [small.id])
  const csv = `email,text\n${Array.from({ length: 7 }, (_row, number) => `person${number}@example.com,Words ${number}.`).join('\n')}\n`
  const stopped = await importFile(service, small, { csv })
  expect(stopped).toMatchObject({ state: 'failed', error: { code: 'quota_exceeded' }, totals: { rows: 3, created: 3 } })
  expect(await testimonialsOf(service, small)).toHaveLength(3)
  expect(await usedRows(service, small)).toEqual({ imported: 50_000, submissions: 0 })

  const inVain = await service.send('POST', importsPath(small, `${stopped.id}/resume/`), { token: small.token })
  expect(inVain).toMatchObject({ status: 200, body: { state: 'running' } })
  expect(await endOf(service, small, stopped)).toMatchObject({ state: 'failed', error: { code: 'quota_exceeded' }, totals: { rows: 3 } })

  await service.database.run(`update teams set plan = 'business' where id = $1`, [small.id])
  await service.send('POST', importsPath(small, `${stopped.id}/resume/`), { token: small.token })
  expect(await endOf(service, small, stopped)).toMatchObject({ state: 'completed', error: null, totals: { rows: 7, created: 7 } })
  expect((await testimonialsOf(service, small)).map(({ body }) => body)).toEqual(
    Array.from({ length: 7 }, (_row, number) => `Words ${number}.`),
  )
  expect((await eventsOf(service, small)).types.filter((type) => type === 'import.completed')).toHaveLength(1)
  // The public form was never closed.
  const { status } = await service.send('POST', `/api/public/v1/projects/${small.publicKey}/submissions/`, {
    body: { body: 'Hello', author: { name: 'Ada' }, consent: { granted: true } },
  })
  expect(status).toBe(201)
  const again = await service.send('POST', importsPath(small, `${stopped.id}/resume/`), { token: small.token })
  expect(again).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'completed' } })
})

test('undo removes what nobody has decided on, gives the units back, and leaves the rest to be listed', async () => {
  const other = await makeTeam(service.database)
  const csv = `email,text\n${Array.from({ length: 1_205 }, (_row, number) => `person${number}@example.com,Words ${number}.`).join('\n')}\n`
  const done = await importFile(service, other, { csv, suppress_events: true })
  await importFile(service, other, { csv: 'email,text\nelse@example.com,Of another import.\n' })
  const [first, second] = await testimonialsOf(service, other, { import_id: done.id })
  const client = service.client(other.token)
  await client.submissions.approve({ ...other.project, submission_id: first?.id ?? '' })
  await client.submissions.reject({ ...other.project, submission_id: second?.id ?? '' })

  const undone = await service.send('POST', importsPath(other, `${done.id}/undo/`), { token: other.token })
  expect(undone).toMatchObject({ status: 200, body: { state: 'undone' } })
  expect(await endOf(service, other, done)).toMatchObject({ state: 'undone', totals: { created: 1_205, removed: 1_203 } })
  expect((await testimonialsOf(service, other, { import_id: done.id })).map(({ state }) => state)).toEqual(['approved', 'rejected'])
  expect(await testimonialsOf(service, other)).toHaveLength(3)
  expect(await usedRows(service, other)).toEqual({ imported: 3, submissions: 0 })
  const counts = await client.submissions.counts(other.project)
  expect(counts.total).toBe(3)

  const again = await service.send('POST', importsPath(other, `${done.id}/undo/`), { token: other.token })
  expect(again).toMatchObject({ status: 200, body: { state: 'undone', totals: { removed: 1_203 } } })
  // Its records can be imported again.
  expect((await importFile(service, other, { csv, suppress_events: true })).totals).toMatchObject({ created: 1_203, skipped: 2 })
})

test('a running import cannot be undone, and several completes start it once', async () => {
  const other = await makeTeam(service.database)
  const reserved = await createImport(service, other, { size_bytes: CSV.length })
  await upload(service, other, reserved, CSV)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => service.send('POST', importsPath(other, `${reserved.id}/complete/`), { token: other.token })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(await endOf(service, other, reserved)).toMatchObject({ state: 'completed', totals: { created: 2 } })
  expect(await testimonialsOf(service, other)).toHaveLength(2)
  await service.database.run(`update imports set state = 'running' where id = $1`, [reserved.id])
  const refused = await service.send('POST', importsPath(other, `${reserved.id}/undo/`), { token: other.token })
  expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'running' } })
  await service.database.run(`update imports set state = 'completed' where id = $1`, [reserved.id])
})
