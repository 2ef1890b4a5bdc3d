import { timingSafeEqual } from 'node:crypto'
import type { MediaAudience, MediaLinks, VideoRef } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import { linkTime } from '../http/link-time.ts'

/** Where the files of videos are served. */
export const MEDIA = '/media/v1'
export const CLIP = 'clip.mp4'
export const POSTER = 'poster.jpg'

/** What signs links: services of the handlers. */
export interface MediaSigner {
  secretBox: SecretBox
  baseUrl: string
}

/** A video and the attempt that made its files: a link is of one version of a file. */
export type MediaVersion = VideoRef & { attempt: number }

/** Returns links to the files of a video, for those who may see it, until a time in seconds. */
export function mediaLinks(
  { secretBox, baseUrl }: MediaSigner,
  video: MediaVersion,
  audience: MediaAudience,
  until = linkTime(Date.now()),
): MediaLinks {
  const link = (file: string) => {
    const path = pathOf(video, file)
    const query = new URLSearchParams({
      until: String(until),
      ...holderOf(audience),
      sig: signatureOf(secretBox, path, { until, audience }),
    })
    return `${baseUrl}${path}?${query}`
  }
  return { clip: link(CLIP), poster: link(POSTER), captions: (caption_id) => link(`${caption_id}.vtt`) }
}

/** Returns the path of a file of a video. */
export function pathOf({ team_id, project_id, video_id, attempt }: MediaVersion, file: string): string {
  return `${MEDIA}/${team_id}/${project_id}/${video_id}/${attempt}/${file}`
}

/** Whether the signature of a link is ours, and the link has not expired. */
export function isSigned(
  secretBox: SecretBox,
  path: string,
  { until, audience, signature }: { until: number; audience: MediaAudience; signature: string },
): boolean {
  const expected = Buffer.from(signatureOf(secretBox, path, { until, audience }))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) && until * 1000 > Date.now()
}

function signatureOf(secretBox: SecretBox, path: string, { until, audience }: { until: number; audience: MediaAudience }): string {
  return secretBox.mac('media-link', JSON.stringify([path, until, audience])).toString('base64url')
}

function holderOf(audience: MediaAudience): { for?: string } {
  return audience === 'public' ? {} : { for: audience.credentialId }
}
