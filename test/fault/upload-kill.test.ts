import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileStore } from '@earshot/drivers'
import { expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { head, offsetOf, patch, type ReservedUpload, reserveUpload, sha256, storedBytes, tusHeaders } from '../support/uploads.ts'

const GENEROUS_MS = 120_000
const PART = 16 * 1_024 * 1_024
/** What is sent behind the first part, before the process ends or stands still. */
const BEYOND = 1_000_000
const FILE = randomBytes(3 * PART)

/** Two replicas, and an upload whose first part one of them has stored, which has the lease and waits for more. */
async function openScene() {
  const directory = await mkdtemp(join(tmpdir(), 'earshot-upload-kill-'))
  const remote = await openRemoteDatabase()
  const settings = { ...remote.environment, EARSHOT_STORAGE_URL: `file:${directory}`, EARSHOT_LOG_LEVEL: 'error' }
  const [holder, other] = await Promise.all([startService(settings), startService(settings)])
  const store = await openFileStore(directory)
  const team = await makeTeam(remote.database)
  const upload = await reserveUpload(remote.database, team.project, { size: FILE.length })
  const sending = startSending(holder.url, upload)
  sending.write(FILE.subarray(0, PART + BEYOND))
  await until('the first part is stored', async () => (await offsetOf(remote.database, upload.ref)) === PART)
  return {
    ...{ remote, holder, other, store, upload, sending },
    stored: () => storedBytes(remote.database, store, upload),
    [Symbol.asyncDispose]: async () => {
      sending.destroy()
      await holder[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
      await remote[Symbol.asyncDispose]()
      await rm(directory, { recursive: true })
    },
  }
}

test('after the death of a holder the next one goes on where the last part ends', { timeout: GENEROUS_MS }, async () => {
  await using scene = await openScene()
  const { holder, other, upload, remote } = scene
  await holder.stop('SIGKILL')
  // The dead one still has the lease: until its end the next one waits.
  expect((await patch({ url: other.url, upload }, PART, FILE.subarray(PART))).status).toBe(423)
  await endLease(remote, upload)
  expect((await head(other.url, upload)).headers.get('upload-offset')).toBe(String(PART))
  expect((await patch({ url: other.url, upload }, PART, FILE.subarray(PART))).status).toBe(204)
  expect(sha256(await scene.stored())).toBe(sha256(FILE))
})

test('a holder that stood still past its lease adds nothing to the bytes of the next one', { timeout: GENEROUS_MS }, async () => {
  await using scene = await openScene()
  const { holder, other, upload, remote, sending } = scene
  const theirs = Buffer.concat([FILE.subarray(0, PART), randomBytes(FILE.length - PART)])
  process.kill(holder.pid, 'SIGSTOP')
  await endLease(remote, upload)
  expect((await patch({ url: other.url, upload }, PART, theirs.subarray(PART, PART + 10))).status).toBe(204)
  const answer = once(sending, 'response')
  process.kill(holder.pid, 'SIGCONT')
  sending.end(FILE.subarray(PART + BEYOND))
  const [response] = await answer
  expect(response.statusCode).toBe(423)
  expect((await patch({ url: other.url, upload }, PART + 10, theirs.subarray(PART + 10))).status).toBe(204)
  expect(sha256(await scene.stored())).toBe(sha256(theirs))
})

test('while the database is away no byte counts, and the upload goes on after', { timeout: GENEROUS_MS }, async () => {
  await using scene = await openScene()
  const { remote, other, upload, sending } = scene
  const answer = once(sending, 'response')
  await remote.proxy.refuse()
  sending.end(FILE.subarray(PART + BEYOND))
  const [response] = await answer
  expect(response.statusCode).toBe(503)
  expect((await scene.stored()).equals(FILE.subarray(0, PART))).toBe(true)
  await remote.proxy.restore()
  await endLease(remote, upload)
  await until('the service is back', async () => (await head(other.url, upload)).status === 200)
  expect((await patch({ url: other.url, upload }, PART, FILE.subarray(PART))).status).toBe(204)
  expect(sha256(await scene.stored())).toBe(sha256(FILE))
})

function startSending(url: string, upload: ReservedUpload): ClientRequest {
  const headers = tusHeaders(upload, { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' })
  return request(url + upload.path, { method: 'PATCH', headers: { ...headers, 'content-length': FILE.length } }).on('error', () => {})
}

/** Lets the time of the lease run out. */
function endLease({ database }: RemoteDatabase, { id }: ReservedUpload) {
  return database.run("update videos set leased_until = now() - interval '1 second' where id = $1", [id])
}
