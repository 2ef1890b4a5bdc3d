import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createImport, endOf, importFile, importsPath, testimonialsOf, upload } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

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

describe('uploads', () => {
  const file = 'name,text\nAda,Words.\n'
  const reserve = (of = team) => createImport(service, of, { size_bytes: file.length })

  test('a reserved file is uploaded, replaced, completed, and deleted at the end', async () => {
    const other = await makeTeam(service.database)
    const reserved = await reserve(other)
    expect(reserved).toMatchObject({ state: 'reserved', upload: { max_bytes: file.length, expires_at: expect.any(String) } })
    expect(reserved.upload?.url).toBe(`http://localhost:8000${importsPath(other, `${reserved.id}/file/`)}`)
    const early = await service.send('POST', importsPath(other, `${reserved.id}/complete/`), { token: other.token })
    expect(early).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'reserved' } })

    expect(await upload(service, other, reserved, file.replace('Words.', 'Other.'))).toMatchObject({
      status: 200,
      body: { state: 'uploaded' },
    })
    expect(await upload(service, other, reserved, file)).toMatchObject({ status: 200, body: { state: 'uploaded' } })
    await service.send('POST', importsPath(other, `${reserved.id}/complete/`), { token: other.token })
    expect(await endOf(service, other, reserved)).toMatchObject({ state: 'completed' })
    expect((await testimonialsOf(service, other)).map(({ body }) => body)).toEqual(['Words.'])
    const late = await upload(service, other, reserved, file)
    expect(late).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'completed' } })
    await until(
      'its blobs are deleted',
      async () => (await service.database.run('select from unused_blobs where team_id = $1', [other.id])).length === 0,
    )
  })

  test('a file that is shorter or longer than reserved is refused, and the import goes on waiting', async () => {
    const reserved = await reserve()
    const short = await upload(service, team, reserved, file.slice(1))
    expect(short).toMatchObject({ status: 400, body: { code: 'validation_error', detail: expect.stringContaining('shorter') } })
    const long = await upload(service, team, reserved, `${file}x`)
    expect(long).toMatchObject({ status: 413, body: { code: 'body_too_large', limit_bytes: file.length } })
    for (const [body, status] of [
      [file.slice(1), 400],
      [`${file}x`, 413],
    ] as const) {
      const response = await fetch(service.url + importsPath(team, `${reserved.id}/file/`), {
        method: 'PUT',
        headers: { authorization: `Bearer ${team.token}` },
        // Without a length.
        body: new Blob([body]).stream(),
        duplex: 'half',
      } as RequestInit)
      expect(response.status).toBe(status)
    }
    expect((await service.send('GET', importsPath(team, `${reserved.id}/`), { token: team.token })).body.state).toBe('reserved')
    expect((await upload(service, team, reserved, file)).status).toBe(200)
  })

  test('an upload is authorized as the completion of its import', async () => {
    const reserved = await reserve()
    const other = await makeTeam(service.database)
    const outcomes: [string | undefined, number, string][] = [
      [undefined, 401, 'not_authenticated'],
      [other.token, 404, 'not_found'],
      [await team.tokenOf('member', ['read:imports']), 403, 'insufficient_scope'],
      [await team.tokenOf('viewer'), 403, 'insufficient_role'],
    ]
    for (const [token, status, code] of outcomes) {
      const answer = await service.send('PUT', importsPath(team, `${reserved.id}/file/`), { token, body: file })
      expect(answer).toMatchObject({ status, body: { code } })
    }
    const unknown = await upload(service, team, { id: '01a20fcf-110b-7c03-8299-60c36fdc72c8' }, file)
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const malformed = await upload(service, team, { id: 'nonsense' }, file)
    expect(malformed).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('an import that waits too long for its file ends, and so does the file of a dry run', async () => {
    const other = await makeTeam(service.database)
    const waiting = await reserve(other)
    const uploaded = await reserve(other)
    await upload(service, other, uploaded, file)
    const dryRun = await importFile(service, other, { csv: file, dry_run: true })
    await service.database.run(`update imports set file_until = now() - interval '1 second' where team_id = $1`, [other.id])
    await service.database.run(`select enqueue_job('blobs', '{}')`, [])
    for (const row of [waiting, uploaded]) {
      await until('it has ended', async () => (await endOf(service, other, row)).state === 'failed')
      expect(await endOf(service, other, row)).toMatchObject({ error: { code: 'upload_expired' } })
    }
    const body = { target: 'testimonials', file_name: 'file.csv', dry_run_id: dryRun.id }
    const late = await service.send('POST', importsPath(other), { token: other.token, body })
    expect(late).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
    await until(
      'its blobs are deleted',
      async () => (await service.database.run('select from unused_blobs where team_id = $1', [other.id])).length === 0,
    )
  })
})
