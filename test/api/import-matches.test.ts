import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importFile, importsPath, testimonialsOf } from '../support/imports.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

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

describe('records that exist', () => {
  const first = 'external_id,name,email,text\nA-1,Ada,ada@example.com,Old.\nA-2,Charles,charles@example.com,Kept.\n'
  const second =
    'external_id,name,email,text\nA-1,Ada,ada@example.com,New.\nA-3,Grace,grace@example.com,Third.\nA-3,Grace,grace@example.com,Fourth.\n'

  test('are skipped by external id, the first row of a file counting', async () => {
    const other = await makeTeam(service.database)
    await importFile(service, other, { csv: first })
    const done = await importFile(service, other, { csv: second })
    expect(done.totals).toMatchObject({ rows: 3, created: 1, updated: 0, skipped: 2 })
    expect((await testimonialsOf(service, other)).map(({ body }) => body)).toEqual(['Old.', 'Kept.', 'Third.'])
  })

  test('are updated in mode upsert while nobody has decided on them, the last row of a file counting', async () => {
    const other = await makeTeam(service.database)
    await importFile(service, other, { csv: first })
    const [, charles] = await testimonialsOf(service, other)
    await service.client(other.token).submissions.approve({ ...other.project, submission_id: charles?.id ?? '' })
    const done = await importFile(service, other, { csv: `${second}A-2,Charles,charles@example.com,Changed.\n`, mode: 'upsert' })
    expect(done.totals).toMatchObject({ rows: 4, created: 1, updated: 2, skipped: 1 })
    expect((await testimonialsOf(service, other)).map(({ body }) => body)).toEqual(['New.', 'Kept.', 'Fourth.'])
    const same = await importFile(service, other, { csv: second, mode: 'upsert' })
    expect(same.totals).toMatchObject({ created: 0, skipped: 2 })
  })

  test('are recognized by address and text, whatever the case of the address', async () => {
    const other = await makeTeam(service.database)
    const rows = (address: string) => `email,text\n${address},Same words.\n${address},Other words.\n,Nobody.\n`
    await importFile(service, other, { csv: rows('ada@example.com') })
    const done = await importFile(service, other, { csv: rows('ADA@Example.com') })
    expect(done).toMatchObject({ dedupe_by: 'email+body', totals: { created: 1, skipped: 2 } })
    const all = await importFile(service, other, { csv: rows('ada@example.com'), dedupe_by: 'none' })
    expect(all.totals).toMatchObject({ created: 3 })
  })

  test('keep their external id: a row with another key fails', async () => {
    const other = await makeTeam(service.database)
    await importFile(service, other, { csv: first })
    const done = await importFile(service, other, {
      csv: 'external_id,email,text\nA-1,other@example.com,Other.\n',
      dedupe_by: 'email+body',
    })
    expect(done.totals).toMatchObject({ created: 0, failed: 1 })
    const { body } = await service.send('GET', importsPath(other, `${done.id}/rows/`), { token: other.token })
    expect(body.results).toMatchObject([{ row: 1, column: 'external_id', code: 'already_exists' }])
  })
})
