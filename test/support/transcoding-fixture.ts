import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, BlobStoreError } from '@earshot/drivers'
import type { Worker, WorkerOptions } from '@earshot/jobs'
import { makeTeam, type Team } from './people.ts'
import { openTestBlobStore } from './test-blob-store.ts'
import { startTestService, type TestService } from './test-service.ts'
import { type TranscodeFacts, transcodeFacts, untilAborted } from './transcodes.ts'
import { uploadVideo } from './videos.ts'
import { startWholeWorker } from './whole-worker.ts'

/** Pauses that are minutes and seconds outside of tests. */
export const QUICK = { waitMs: 100, retryMs: 20, pollMs: 50, sweepMs: 100, renewMs: 100 }
const FILE = Buffer.from('the bytes of a file')

type Ref = Awaited<ReturnType<typeof uploadVideo>>

/** What the store of a fixture does, for a test to set. */
interface StoreState {
  isAway: boolean
  /** The call that does not end by itself. */
  hanging: 'get' | 'put' | null
  /** Whether such a call hangs. */
  isHanging: boolean
}

/** A service with a team and a folder for transcodes. */
export interface TranscodingFixture {
  service: TestService
  team: Team
  folder: string
  store: StoreState
  /** Starts a worker, which is stopped with the fixture. */
  start: (given: Partial<WorkerOptions['transcoding']>) => Promise<Worker>
  /** Uploads a file that is no video. */
  upload: () => Promise<Ref>
  uploadLongAgo: () => Promise<Ref>
  factsOf: (ref: Ref) => Promise<TranscodeFacts | undefined>
  /** The keys of what was made of a video. */
  keysOf: (ref: Ref) => Promise<string[]>
  close: () => Promise<void>
}

export async function openTranscodingFixture(): Promise<TranscodingFixture> {
  const store: StoreState = { isAway: false, hanging: null, isHanging: false }
  const blobStore = switchable(await openTestBlobStore(), store)
  const service = await startTestService({ services: { blobStore } })
  const team = await makeTeam(service.database)
  const folder = await mkdtemp(join(tmpdir(), 'earshot-transcoding-'))
  const workers: Worker[] = []
  const upload = () => uploadVideo(service, team, FILE)
  return {
    ...{ service, team, folder, store, upload },
    async start(given) {
      const worker = await startWholeWorker(service, { ...QUICK, folder, ...given })
      workers.push(worker)
      return worker
    },
    async uploadLongAgo() {
      const ref = await upload()
      await service.database.run(`update videos set uploaded_at = now() - interval '1 hour' where id = $1`, [ref.video_id])
      return ref
    },
    factsOf: (ref) => transcodeFacts(service.database, ref),
    keysOf: ({ video_id }) => Array.fromAsync(blobStore.list(`videos/${team.id}/${video_id}/`)),
    async close() {
      for (const worker of workers) await worker.stop({ timeoutMs: 5_000 })
      await service.close()
      await blobStore.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A store that can be away, or hang. */
function switchable(store: BlobStore, state: StoreState): BlobStore {
  const check = async (call: 'get' | 'put', signal: AbortSignal | undefined) => {
    if (state.isAway) throw new BlobStoreError('unavailable', 'The store is away.')
    if (state.hanging !== call) return
    state.isHanging = true
    await untilAborted(signal)
  }
  return {
    ...store,
    get: async (key, range) => {
      await check('get', range?.signal)
      return store.get(key, range)
    },
    put: async (key, source, options) => {
      await check('put', options.signal)
      return store.put(key, source, options)
    },
  }
}
