import { randomBytes } from 'node:crypto'
import { parse } from 'content-disposition'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refuse } from '../support/fake-s3.ts'
import { getMedia, type OpenedStore, openStoreOf } from '../support/media.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { useS3Credentials } from '../support/s3-credentials.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { here, makeReadyVideo } from '../support/videos.ts'

const CLIP = randomBytes(10_000)

useS3Credentials()

let store: OpenedStore
let service: TestService
let team: Team
let ref: Awaited<ReturnType<typeof makeReadyVideo>>
let links: { clip: string; poster: string; captions: string }
beforeAll(async () => {
  store = await openStoreOf('S3')
  service = await startTestService({ services: { blobStore: store.blobStore }, redirectsMedia: true })
  team = await makeTeam(service.database)
  ref = await makeReadyVideo(service, team, { clip: CLIP, fileName: '../Grüße.mov' })
  const { videos } = service.client(team.token)
  const captions = await videos.captions.create({ ...ref, language: 'en', vtt: 'WEBVTT\n' })
  const { playback_url, poster_url } = await videos.retrieve(ref)
  links = { clip: here(service, playback_url), poster: here(service, poster_url), captions: here(service, captions.url) }
})
afterAll(async () => {
  await service.close()
  await store[Symbol.asyncDispose]()
})

test.for([
  ['clip', 'video/mp4', 'mp4', CLIP],
  ['poster', 'image/jpeg', 'jpg', Buffer.from('a poster')],
] as const)('the %s is read from S3, at an address for five minutes that no cache keeps', async ([file, type, extension, bytes]) => {
  const asked = store.s3.requests.length
  const { status, headers, bytes: body } = await getMedia(links[file], { range: 'bytes=5-' })
  expect([status, body.length, headers['cache-control'], headers['referrer-policy']]).toEqual([302, 0, 'no-store', 'no-referrer'])
  for (const name of ['etag', 'content-type', 'content-disposition', 'accept-ranges']) expect(headers).not.toHaveProperty(name)
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(store.s3.requests.length).toBe(asked)
  const address = new URL(headers.location ?? '')
  expect(address.origin).toBe(store.s3.endpoint)
  expect(address.searchParams.get('X-Amz-Expires')).toBe('300')
  const read = await getMedia(address.href, { range: 'bytes=5-' })
  expect([read.status, read.headers['content-type'], read.bytes.equals(bytes.subarray(5))]).toEqual([206, type, true])
  const { parameters } = parse(address.searchParams.get('response-content-disposition') ?? '')
  expect(parameters.filename).toBe(`Grüße.${extension}`)
})

test('captions come from the service, whole or in part: they are in the database', async () => {
  expect(await getMedia(links.captions)).toMatchObject({ status: 200, headers: { 'content-type': 'text/vtt; charset=utf-8' } })
  expect((await getMedia(links.captions, { range: 'bytes=0-5' })).bytes.toString()).toBe('WEBVTT')
})

test('HEAD is answered here, for S3 signs the method; what the client has is 304', async () => {
  const { status, headers } = await getMedia(links.clip, {}, 'HEAD')
  expect([status, headers['content-length'], headers['content-type']]).toEqual([200, String(CLIP.length), 'video/mp4'])
  expect((await getMedia(links.clip, { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
})

test('an altered link, and one of a credential that is revoked, lead nowhere', async () => {
  const altered = await getMedia(links.clip.replace(/sig=./, 'sig=.'))
  expect([altered.status, altered.headers.location]).toEqual([404, undefined])
  const token = await team.tokenOf('viewer')
  const link = here(service, (await service.client(token).videos.retrieve(ref)).playback_url)
  expect((await getMedia(link)).status).toBe(302)
  await service.database.run('update credentials set revoked_at = now() where id = $1', [new URL(link).searchParams.get('for')])
  const { status, headers } = await getMedia(link)
  expect([status, headers.location]).toEqual([404, undefined])
})

test('S3 that is down does not stop a redirect, and makes HEAD 503', async () => {
  store.s3.breakRequests(/^HEAD/, refuse(503, 'SlowDown'))
  expect((await getMedia(links.clip)).status).toBe(302)
  expect((await getMedia(links.clip, {}, 'HEAD')).status).toBe(503)
})

test('a service over a directory serves the file itself', async () => {
  const other = await startTestService({ redirectsMedia: true })
  const owner = await makeTeam(other.database)
  const made = await makeReadyVideo(other, owner, { clip: CLIP })
  const link = here(other, (await other.client(owner.token).videos.retrieve(made)).playback_url)
  expect(await getMedia(link)).toMatchObject({ status: 200, bytes: CLIP })
  await other.close()
})
