import { randomBytes } from 'node:crypto'
import { S3 } from '@aws-sdk/client-s3'
import { type BlobStore, openBlobStore, readStorageUrl } from '@earshot/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getMedia } from '../support/media.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { here, makeReadyVideo } from '../support/videos.ts'

const { S3_STORE_URL: address = '' } = process.env
/** Stored in two parts. */
const CLIP = randomBytes(9_000_000)
const blobStore = await openBucket()

let streaming: TestService
let redirecting: TestService
let links: Record<'streamed' | 'redirected', string>
beforeAll(async () => {
  streaming = await startTestService({ services: { blobStore } })
  const services = { blobStore, secretBox: streaming.secretBox }
  redirecting = await startTestService({ services, redirectsMedia: true }, { store: streaming })
  const team = await makeTeam(streaming.database)
  const ref = await makeReadyVideo(streaming, team, { clip: CLIP, fileName: 'Grüße "heute".mov' })
  const { playback_url } = await streaming.client(team.token).videos.retrieve(ref)
  links = { streamed: here(streaming, playback_url), redirected: here(redirecting, playback_url) }
})
afterAll(async () => {
  await redirecting.close()
  await streaming.close()
  await blobStore.close()
})

test.for([
  ['bytes=0-0', 0, 1],
  ['bytes=8388600-8388700', 8_388_600, 8_388_701],
  ['bytes=-5', 8_999_995, 9_000_000],
  ['bytes=100-', 100, 9_000_000],
] as const)('a clip in S3 is read by %s, through the service and at the signed address', async ([range, start, end]) => {
  const expected = CLIP.subarray(start, end)
  const streamed = await getMedia(links.streamed, { range })
  const { status, headers } = await getMedia(links.redirected, { range })
  const read = await getMedia(headers.location ?? '', { range })
  expect([streamed.status, status, read.status]).toEqual([206, 302, 206])
  expect([streamed.bytes.equals(expected), read.bytes.equals(expected)]).toEqual([true, true])
  for (const name of ['content-range', 'content-type', 'content-disposition']) expect(read.headers[name]).toBe(streamed.headers[name])
})

test('a clip that is gone from S3 is 404, and HEAD says so where a redirect would not', async () => {
  const keys = await Array.fromAsync(blobStore.list('videos/'))
  for (const key of keys) await blobStore.delete(key)
  const statuses = [
    await getMedia(links.streamed),
    await getMedia(links.streamed, {}, 'HEAD'),
    await getMedia(links.redirected, {}, 'HEAD'),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404])
  const { headers } = await getMedia(links.redirected)
  expect((await getMedia(headers.location ?? '')).status).toBe(404)
})

/** A bucket of its own on the server that the run has started. */
async function openBucket(): Promise<BlobStore> {
  const location = new URL(address)
  const client = new S3({ endpoint: location.searchParams.get('endpoint') ?? '', region: 'us-east-1', forcePathStyle: true })
  await client.createBucket({ Bucket: `${location.hostname}-media` })
  client.destroy()
  return openBlobStore(readStorageUrl(address.replace(location.hostname, `${location.hostname}-media`)))
}
