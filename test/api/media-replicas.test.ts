import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getMedia, type OpenedStore, openStoreOf, STORES } from '../support/media.ts'
import { makeTeam } from '../support/people.ts'
import { useS3Credentials } from '../support/s3-credentials.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { here, recording, untilState, uploadTo } from '../support/videos.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

useS3Credentials()

describe.for(STORES)('two replicas over one store in %s', (kind) => {
  let store: OpenedStore
  let first: TestService
  let second: TestService
  let worker: Worker
  beforeAll(async () => {
    store = await openStoreOf(kind)
    first = await startTestService({ services: { blobStore: store.blobStore } })
    const { secretBox } = first
    second = await startTestService({ services: { blobStore: store.blobStore, secretBox } }, { store: first })
    worker = await startWholeWorker(first)
  })
  afterAll(async () => {
    await worker.stop({ timeoutMs: 5_000 })
    await second.close()
    await first.close()
    await store[Symbol.asyncDispose]()
  })

  test('reserve on one, upload to the other, complete on the first, watch on the second', async () => {
    const team = await makeTeam(first.database)
    const bytes = await recording()
    const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: bytes.length }
    const { video, upload } = await first.client(team.token).videos.reserve({ ...team.project, ...file })
    expect((await uploadTo(second, { id: video.id, token: upload.token }, bytes)).status).toBe(204)
    const ref = { ...team.project, video_id: video.id }
    expect(await first.client(team.token).videos.complete(ref)).toMatchObject({ state: 'uploaded', offset_bytes: bytes.length })
    const ready = await untilState(first, team, ref, 'ready')
    const fromFirst = await getMedia(here(first, ready.playback_url))
    const fromSecond = await getMedia(here(second, ready.playback_url))
    expect([fromFirst.status, fromSecond.status, fromSecond.bytes.subarray(4, 8).toString()]).toEqual([200, 200, 'ftyp'])
    expect(fromSecond.bytes.equals(fromFirst.bytes)).toBe(true)
    expect(fromSecond.headers.etag).toBe(fromFirst.headers.etag)
    const seek = await getMedia(here(second, ready.playback_url), { range: 'bytes=-100', 'if-range': fromFirst.headers.etag ?? '' })
    expect([seek.status, seek.bytes.equals(fromFirst.bytes.subarray(-100))]).toEqual([206, true])
  })
})
