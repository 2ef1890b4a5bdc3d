import { ApiError } from '@earshot/contracts'
import { type Database, findMedia, type MediaAudience, type MediaRow } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { patienceOf } from '../auth/patience.ts'
import { EXPOSED } from '../http/cors.ts'
import { etagOf } from '../http/etag.ts'
import { sendFailure } from '../http/failure.ts'
import { downloadName } from './download-name.ts'
import { CLIP, isSigned, MEDIA, POSTER, pathOf } from './links.ts'
import { type BlobSource, type ServedFile, sendServedFile, withoutFileHeaders } from './send.ts'

const CAPTIONS = /^([0-9a-f-]{36})\.vtt$/
/** As we write it: `1e0` and `01` are other text than what was signed. */
const number = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
const Params = z.object({
  team_id: z.uuid(),
  project_id: z.uuid(),
  video_id: z.uuid(),
  attempt: number,
  file: z.string(),
})
const Query = z.strictObject({ until: number, for: z.uuid().optional(), sig: z.string() })

export interface MediaOptions extends BlobSource {
  database: Database
  secretBox: SecretBox
}

/**
 * Registers `GET` and `HEAD` of the files of videos by signed links: the clip, its poster and captions, with ranges (RFC 9110 §14). Each
 * request reads again whether the video may be watched, so a link works no longer than that. Every refusal is 404.
 */
export function registerMedia(app: FastifyInstance, { database, secretBox, ...source }: MediaOptions): void {
  app.route({
    // Both by name: the HEAD route that Fastify adds would say that the length is 0.
    method: ['GET', 'HEAD'],
    url: `${MEDIA}/:team_id/:project_id/:video_id/:attempt/:file`,
    handler: async (request, reply) => {
      const { ref, file, audience } = readLink(request, secretBox)
      const caption_id = CAPTIONS.exec(file)?.[1] ?? null
      const row = await findMedia(database.patiently(patienceOf(request)), ref, { audience, caption_id })
      const found = row.attempt === ref.attempt ? servedFileOf(row, file) : null
      if (found === null) throw new ApiError('not_found')
      setHeaders(reply, audience, found)
      return sendServedFile(request, reply, found, source)
    },
    errorHandler: async (error, request, reply) => sendFailure(error, request, withoutFileHeaders(reply)),
  })
}

function readLink(request: FastifyRequest, secretBox: SecretBox) {
  const params = Params.safeParse(request.params)
  const query = Query.safeParse(request.query)
  if (!params.success || !query.success) throw new ApiError('not_found')
  const { file, ...ref } = params.data
  const { until, for: credentialId, sig } = query.data
  const audience: MediaAudience = credentialId === undefined ? 'public' : { credentialId }
  if (!isSigned(secretBox, pathOf(ref, file), { until, audience, signature: sig })) throw new ApiError('not_found')
  return { ref, file, audience }
}

function servedFileOf(row: MediaRow, file: string): ServedFile | null {
  const name = downloadName(row.file_name)
  const dispositionOf = (extension: string) => contentDisposition(`${name}.${extension}`, { type: 'inline' })
  const blob = (type: string, extension: string, key: string | null, sizeBytes: number | null) =>
    key === null || sizeBytes === null ? null : { type, disposition: dispositionOf(extension), etag: etagOf(key), key, sizeBytes }
  if (file === CLIP) return blob('video/mp4', 'mp4', row.clip_key, row.clip_bytes)
  if (file === POSTER) return blob('image/jpeg', 'jpg', row.poster_key, row.poster_bytes)
  if (row.vtt === null) return null
  const bytes = Buffer.from(row.vtt)
  return { type: 'text/vtt; charset=utf-8', disposition: dispositionOf('vtt'), etag: etagOf(bytes), bytes, sizeBytes: bytes.length }
}

/** Shared caches may keep what is public, and ask each time. Nothing here may run as a page, and pages of other sites may show it. */
function setHeaders(reply: FastifyReply, audience: MediaAudience, { disposition, type, etag }: ServedFile): void {
  reply.headers({
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': `${EXPOSED}, Accept-Ranges, Content-Range`,
    'cache-control': audience === 'public' ? 'no-cache' : 'private, no-cache',
    'content-disposition': disposition,
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': type,
    'cross-origin-resource-policy': 'cross-origin',
    etag,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
}
