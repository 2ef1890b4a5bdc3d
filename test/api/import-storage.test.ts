import { type BlobStore, BlobStoreError } from '@earshot/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImport, endOf, importsPath, testimonialsOf, upload } from '../support/imports.ts'
import { makeTeam } from '../support/people.ts'
import { requestHead, sendRaw } from '../support/raw-http.ts'
import { openTestBlobStore } from '../support/test-blob-store.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const FILE = 'name,text\nAda,Words.\n'

/** What the store throws; null while it works. */
let failure: BlobStoreError | null = null
let refusals = 0
const refuse = (error: BlobStoreError) => {
  refusals += 1
  return Promise.reject(error)
}
let store: BlobStore
let service: TestService
let worker: Awaited<ReturnType<typeof startWholeWorker>>
beforeAll(async () => {
  store = await openTestBlobStore()
  const blobStore: BlobStore = {
    ...store,
    put: (...args) => (failure ? refuse(failure) : store.put(...args)),
    get: (...args) => (failure ? refuse(failure) : store.get(...args)),
    delete: (...args) => (failure ? refuse(failure) : store.delete(...args)),
  }
  service = await startTestService({ services: { blobStore }, bodyTimeoutMs: 500 })
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 1_000 })
  await service.close()
  await store.close()
})

test.for(['full', 'forbidden', 'unavailable'] as const)('while the store is %s an upload answers 503, and works later', async (code) => {
  const team = await makeTeam(service.database)
  const reserved = await createImport(service, team, { size_bytes: FILE.length })
  failure = new BlobStoreError(code, 'The bucket secret-name said no.')
  const refused = await upload(service, team, reserved, FILE)
  failure = null
  expect(refused).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(JSON.stringify(refused.body)).not.toContain('secret-name')
  expect((await upload(service, team, reserved, FILE)).status).toBe(200)
})

test('an import waits for a store that is away, and its file is deleted once the store is back', async () => {
  const team = await makeTeam(service.database)
  const reserved = await createImport(service, team, { size_bytes: FILE.length })
  await upload(service, team, reserved, FILE)
  failure = new BlobStoreError('unavailable', 'Away.')
  refusals = 0
  await service.send('POST', importsPath(team, `${reserved.id}/complete/`), { token: team.token })
  await until('the store refuses', () => refusals > 0)
  const state = async () => (await service.send('GET', importsPath(team, `${reserved.id}/`), { token: team.token })).body.state
  expect(await state()).toBe('running')
  failure = null
  expect(await endOf(service, team, reserved)).toMatchObject({ state: 'completed', totals: { created: 1 } })
  expect(await testimonialsOf(service, team)).toHaveLength(1)
  await until('the file is deleted', async () => (await Array.fromAsync(store.list(`imports/${team.id}/`))).length === 0)
})

test('an import whose file is gone says so', async () => {
  const team = await makeTeam(service.database)
  const reserved = await createImport(service, team, { size_bytes: FILE.length })
  await upload(service, team, reserved, FILE)
  for await (const key of store.list(`imports/${team.id}/`)) await store.delete(key)
  await service.send('POST', importsPath(team, `${reserved.id}/complete/`), { token: team.token })
  expect(await endOf(service, team, reserved)).toMatchObject({ state: 'failed', error: { code: 'file_expunged' } })
})

test('an upload that breaks off leaves the import waiting, and nothing in the store', async () => {
  const team = await makeTeam(service.database)
  const reserved = await createImport(service, team, { size_bytes: 1_000_000 })
  const abort = new AbortController()
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.alloc(200_000, 'x')),
  })
  const request = fetch(service.url + importsPath(team, `${reserved.id}/file/`), {
    ...{ method: 'PUT', headers: { authorization: `Bearer ${team.token}` }, body, duplex: 'half', signal: abort.signal },
  } as RequestInit)
  await until(
    'bytes have come',
    async () => (await service.database.run('select from unused_blobs where team_id = $1', [team.id])).length > 0,
  )
  abort.abort()
  await expect(request).rejects.toThrow()
  const state = async () => (await service.send('GET', importsPath(team, `${reserved.id}/`), { token: team.token })).body.state
  expect(await state()).toBe('reserved')
  expect(await Array.fromAsync(store.list(`imports/${team.id}/`))).toEqual([])
})

test('a body that does not arrive in time is refused; an upload whose bytes keep coming is not', async () => {
  const team = await makeTeam(service.database)
  const path = importsPath(team).replace('imports', 'testimonials')
  const head = requestHead(`POST ${path}`, {
    authorization: `Bearer ${team.token}`,
    'content-type': 'application/json',
    'content-length': 100,
  })
  const slow = await sendRaw(service.url, [head, '{"body":'])
  expect(slow).toMatchObject({ status: 400, body: { detail: 'The request took too long to arrive.' } })

  const reserved = await createImport(service, team, { size_bytes: FILE.length })
  const body = new ReadableStream({
    async start(controller) {
      for (const byte of FILE) {
        controller.enqueue(Buffer.from(byte))
        await new Promise((resolve) => setTimeout(resolve, 40))
      }
      controller.close()
    },
  })
  const answer = await fetch(service.url + importsPath(team, `${reserved.id}/file/`), {
    ...{ method: 'PUT', headers: { authorization: `Bearer ${team.token}` }, body, duplex: 'half' },
  } as RequestInit)
  expect(answer.status).toBe(200)
})
