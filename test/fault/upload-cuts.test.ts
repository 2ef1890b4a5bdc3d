import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type BlobStore, openBlobStore, readStorageUrl } from '@earshot/drivers'
import fc from 'fast-check'
import { Upload } from 'tus-js-client'
import { describe, expect, test } from 'vitest'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { refuse, startFakeS3 } from '../support/fake-s3.ts'
import { isLongForm } from '../support/form.ts'
import { makeTeam } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { type ReservedUpload, reserveUpload, sha256, storedBytes } from '../support/uploads.ts'

/** How many connections are cut, and how many faults of other kinds come between. */
const FORM = isLongForm ? { cuts: 1_000, faults: 24 } : { cuts: 60, faults: 4 }
const LONGEST_MS = isLongForm ? 20 * 60_000 : 180_000
const UPLOADS = 4
const FILE_BYTES = isLongForm ? 60_000_000 : 12_000_000
const FROZEN_MS = 500
const AWAY_MS = 700
const BETWEEN_MS = 300
const KINDS = ['kill', 'freeze', 'database away', 'store fails'] as const
const environment = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }

describe.for(['directory', 'S3'] as const)('uploads with blobs in %s', (kind) => {
  test(`are whole after ${FORM.cuts} cuts and ${FORM.faults} kills, pauses and outages, and no acknowledged byte is lost`, {
    timeout: LONGEST_MS,
  }, async () => {
    await using stack = new AsyncDisposableStack()
    const { remote, store, replicas, faults } = await openScene(kind, stack)
    const team = await makeTeam(remote.database)
    const [sizes = []] = fc.sample(fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: FORM.cuts, maxLength: FORM.cuts }), 1)
    const targets = replicas.map(({ process }) => process.url)
    const proxy = stack.use(await startCuttingProxy({ targets, nextCut: (cuts) => sizes[cuts] ?? null }))
    const files = Array.from({ length: UPLOADS }, () => randomBytes(FILE_BYTES))
    const uploads = await Promise.all(files.map((file) => reserveUpload(remote.database, team.project, { size: file.length })))
    const lost: string[] = []
    let isSending = true
    const sending = Promise.all(uploads.map((upload, index) => send(proxy.url, upload, { file: files[index] as Buffer, lost })))
    const causing = (async () => {
      for (let number = 0; number < FORM.faults && isSending; number += 1) {
        await faults[KINDS[number % KINDS.length] as (typeof KINDS)[number]](targets)
        await delay(BETWEEN_MS)
      }
    })()
    await sending
    isSending = false
    await causing
    for (const [index, upload] of uploads.entries()) {
      expect(sha256(await storedBytes(remote.database, store, upload))).toBe(sha256(files[index] as Buffer))
    }
    expect(lost).toEqual([])
    console.log(`${kind}: ${proxy.cuts()} cuts`)
    // Connections that are open together can be cut once more.
    expect(proxy.cuts()).toBeGreaterThanOrEqual(FORM.cuts)
  })
})

interface Replica {
  process: ServiceProcess
}

async function openScene(kind: 'directory' | 'S3', stack: AsyncDisposableStack) {
  const remote = stack.use(await openRemoteDatabase())
  const s3 = stack.use(await startFakeS3())
  const directory = await mkdtemp(join(tmpdir(), 'earshot-upload-cuts-'))
  stack.defer(() => rm(directory, { recursive: true }))
  const storage = kind === 'S3' ? `s3://bucket?endpoint=${s3.endpoint}` : `file:${directory}`
  const settings = { ...remote.environment, ...environment, EARSHOT_STORAGE_URL: storage, EARSHOT_LOG_LEVEL: 'error', EARSHOT_ROLE: 'api' }
  const replicas: [Replica, Replica] = [{ process: await startService(settings) }, { process: await startService(settings) }]
  for (const replica of replicas) stack.defer(async () => void (await replica.process.stop('SIGKILL')))
  const store = await openStore(storage, stack)
  const [first, second] = replicas
  const faults: Record<(typeof KINDS)[number], (targets: string[]) => Promise<void>> = {
    kill: async (targets) => {
      await first.process.stop('SIGKILL')
      await endLeases(remote)
      first.process = await startService(settings)
      targets[0] = first.process.url
    },
    freeze: async () => {
      process.kill(second.process.pid, 'SIGSTOP')
      await delay(FROZEN_MS)
      await endLeases(remote)
      await delay(FROZEN_MS)
      process.kill(second.process.pid, 'SIGCONT')
    },
    'database away': async () => {
      await remote.proxy.refuse()
      await delay(AWAY_MS)
      await remote.proxy.restore()
      await endLeases(remote)
    },
    'store fails': async () => s3.breakRequests(/^PUT /, refuse(503, 'SlowDown'), 5),
  }
  return { remote, store, replicas, faults }
}

async function openStore(storage: string, stack: AsyncDisposableStack): Promise<BlobStore> {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, environment)
  stack.defer(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  return openBlobStore(readStorageUrl(storage))
}

/** Lets the time of all leases run out, as half a minute would. */
async function endLeases({ database }: RemoteDatabase): Promise<void> {
  await database.run("update videos set leased_until = now() - interval '1 second' where leased_until is not null", [])
}

/** Sends a file with tus-js-client, which resumes as often as it must. An offset that went back is noted as lost bytes. */
function send(url: string, upload: ReservedUpload, { file, lost }: { file: Buffer; lost: string[] }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let acknowledged = 0
  new Upload(file, {
    uploadUrl: url + upload.path,
    headers: { 'X-Upload-Token': upload.token },
    retryDelays: Array.from({ length: 10_000 }, () => 20),
    onShouldRetry: () => true,
    onAfterResponse: (_request, response) => {
      const offset = Number(response.getHeader('Upload-Offset') ?? Number.NaN)
      if (offset < acknowledged) lost.push(`${upload.id} went back from ${acknowledged} to ${offset}`)
      if (response.getStatus() < 300 && offset > acknowledged) acknowledged = offset
    },
    onSuccess: () => resolve(),
    onError: reject,
  }).start()
  return promise
}
