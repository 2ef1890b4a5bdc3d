import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  announceBlob,
  appendParts,
  completeVideo,
  createCaption,
  type Database,
  moderateSubmission,
  newDraft,
  releaseLease,
  reserveVideo,
  submitDraft,
  takeLease,
  type VideoRef,
} from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import { hashToken, makeUploadToken } from '@earshot/server'
import type { DemoPlace } from './place.ts'

/**
 * Five seconds of moving bars with a hum, as a browser records: no duration, no cues. Made with `makeMedia` of
 * test/drivers/transcoder/media-maker.ts, container `webm-recorded`, video VP9 at crf 40 from FFmpeg's filter `geq`, which draws bars
 * whose height is a product of two sines of the time, and audio Opus from `aevalsrc`.
 */
const CLIP = new URL('story.webm', import.meta.url)

const DRAFT = {
  title: 'Our first month',
  body: 'We opened a second kitchen in spring, and for the first time nobody asked me who works where. Here is what changed for us.',
  rating: 5,
  author: { name: 'Daniela Souza', title: 'Owner', company: 'Cozinha Souza' },
  consent: { granted: true, text: 'I agree that Northlight may publish my video, with my name.' },
  language: 'en',
}

const CAPTIONS = `WEBVTT

00:00:00.000 --> 00:00:02.400
In spring we opened a second kitchen.

00:00:02.400 --> 00:00:05.000
Since then nobody has asked me who works where.
`

/** Uploads a video as a visitor does, with captions by the team, and approves it. A worker transcodes it afterwards. */
export async function fillVideo(database: Database, blobStore: BlobStore, { ids, admin }: Omit<DemoPlace, 'tx'>): Promise<void> {
  const bytes = await readFile(CLIP)
  const file = { channel: 'public', file_name: 'our-first-month.webm', content_type: 'video/webm', size_bytes: bytes.length } as const
  const token_hash = hashToken(makeUploadToken())
  const { id } = await reserveVideo(database, ids, { ...file, token_hash, draft: newDraft(DRAFT) })
  const ref = { ...ids, video_id: id }
  await upload(database, blobStore, { ref, bytes })
  const { submission_id } = await submitDraft(database, ref)
  await createCaption(database, admin, ref, { language: 'en', label: 'English', vtt: CAPTIONS })
  await completeVideo(database, ref)
  if (submission_id === null) throw new Error('A submitted draft has no submission')
  await moderateSubmission(database, admin, { ...ids, submission_id }, { to: 'approved', expected_state: 'pending' })
}

async function upload(database: Database, blobStore: BlobStore, { ref, bytes }: { ref: VideoRef; bytes: Buffer }): Promise<void> {
  const lease = await takeLease(database, ref)
  if (lease === null) throw new Error('Somebody else writes the upload of the demo')
  const key = `uploads/${ref.team_id}/${ref.video_id}/demo`
  await announceBlob(database, { team_id: ref.team_id, key })
  await blobStore.put(key, Readable.from([bytes]), { sizeBytes: bytes.length })
  const stored = await appendParts(database, lease, { first_byte: 0, parts: [{ key, size_bytes: bytes.length }] })
  if (stored !== bytes.length) throw new Error('The ledger refused the upload of the demo')
  await releaseLease(database, lease)
}
