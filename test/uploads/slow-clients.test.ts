import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { takeLease } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { head, offsetOf, patch, reserveUpload, storedBytes, tusHeaders } from '../support/uploads.ts'

const FILE = randomBytes(1_000)

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService({ uploads: { stallMs: 1_000, maxActive: 2 } })
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

const reserve = () => reserveUpload(service.database, team.project, { size: FILE.length })
const stored = (upload: Awaited<ReturnType<typeof reserve>>) => storedBytes(service.database, service.blobStore, upload)

/** A body that sends some bytes and then waits. */
function slowBody(bytes: Uint8Array) {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | null>()
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes)
      const rest = await promise
      if (rest) controller.enqueue(rest)
      controller.close()
    },
  })
  return { body, end: resolve }
}
const isLeased = async (id: string) =>
  (await service.database.run('select from videos where id = $1 and leased_until is not null', [id])).length > 0

test('a second writer waits a moment for the first one, and then sees its offset', async () => {
  const upload = await reserve()
  const slow = slowBody(FILE.subarray(0, 10))
  const first = patch({ url: service.url, upload }, 0, slow.body)
  await until('the first one has the lease', () => isLeased(upload.id))
  slow.end(null)
  const second = await patch({ url: service.url, upload }, 0, FILE.subarray(0, 20))
  // The first one ended meanwhile: the second one waited for its lease, and found another offset.
  expect([(await first).status, second.status]).toEqual([204, 409])
  expect(await stored(upload)).toEqual(FILE.subarray(0, 10))
})

test('a client that stalls is broken off, what it sent is kept, and the lease is free', async () => {
  const upload = await reserve()
  const slow = slowBody(FILE.subarray(0, 10))
  const answer = patch({ url: service.url, upload }, 0, slow.body).then(
    ({ status }) => status,
    () => 'broken off',
  )
  await until('the bytes are kept', async () => (await offsetOf(service.database, upload.ref)) === 10)
  await until('the lease is free', async () => !(await isLeased(upload.id)))
  expect([400, 'broken off']).toContain(await answer)
  expect((await patch({ url: service.url, upload }, 10, FILE.subarray(10))).status).toBe(204)
  expect(await stored(upload)).toEqual(FILE)
})

test('what came more than five seconds ago is stored while the client goes on', async () => {
  const upload = await reserve()
  const stop = new AbortController()
  async function* trickle() {
    for (let sent = 0; !stop.signal.aborted; sent += 10) {
      yield FILE.subarray(sent, sent + 10)
      await delay(300)
    }
  }
  const sending = patch({ url: service.url, upload }, 0, ReadableStream.from(trickle()) as ReadableStream<Uint8Array>)
  await until('the first bytes are stored', async () => Number(await offsetOf(service.database, upload.ref)) > 0)
  expect(await isLeased(upload.id)).toBe(true)
  stop.abort()
  expect((await sending).status).toBe(204)
  const bytes = await stored(upload)
  expect(bytes.equals(FILE.subarray(0, bytes.length))).toBe(true)
})

test('an upload that is deleted while bytes come ends with 404', async () => {
  const upload = await reserve()
  const slow = slowBody(FILE.subarray(0, 10))
  const first = patch({ url: service.url, upload }, 0, slow.body)
  await until('the first one has the lease', () => isLeased(upload.id))
  expect((await fetch(service.url + upload.path, { method: 'DELETE', headers: tusHeaders(upload) })).status).toBe(204)
  slow.end(FILE.subarray(10))
  expect((await first).status).toBe(404)
  expect(await service.database.run('select from video_parts where video_id = $1', [upload.id])).toEqual([])
})

test('over the limit of requests at the same time a PATCH is 503 with Retry-After, and HEAD is served', async () => {
  const uploads = [await reserve(), await reserve(), await reserve()] as const
  const slow = [slowBody(FILE.subarray(0, 10)), slowBody(FILE.subarray(0, 10))] as const
  const running = [
    patch({ url: service.url, upload: uploads[0] }, 0, slow[0].body),
    patch({ url: service.url, upload: uploads[1] }, 0, slow[1].body),
  ]
  await until('both have a lease', async () => (await isLeased(uploads[0].id)) && (await isLeased(uploads[1].id)))
  const refused = await patch({ url: service.url, upload: uploads[2] }, 0, FILE)
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, 5])
  expect((await head(service.url, uploads[2])).status).toBe(200)
  for (const { end } of slow) end(null)
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([204, 204])
  expect((await patch({ url: service.url, upload: uploads[2] }, 0, FILE)).status).toBe(204)
})

test('a second writer is refused while the first one sends', async () => {
  const upload = await reserve()
  await takeLease(service.database, upload.ref)
  const second = await patch({ url: service.url, upload }, 0, FILE)
  expect([second.status, Number(second.headers.get('retry-after'))]).toEqual([423, 2])
  expect(await second.json()).toMatchObject({ code: 'upload_locked' })
  expect((await head(service.url, upload)).headers.get('upload-offset')).toBe('0')
})
