import { ApiError } from '@earshot/contracts'
import { type Database, findMedia, type MediaAudience, type MediaRow } from '@earshot/db'
import { type BlobStore, BlobStoreError, type SecretBox } from '@earshot/drivers'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { etagOf } from '../http/etag.ts'
import { sendFailure } from '../http/failure.ts'
import { CLIP, isSigned, MEDIA, POSTER, pathOf } from './links.ts'
import { type Representation, sendRepresentation } from './send.ts'

const PATIENCE_MS = 3_000
const RETRY_SECONDS = 5
const CAPTIONS = /^([0-9a-f-]{36})\.vtt$/
const Params = z.object({
  team_id: z.uuid(),
  project_id: z.uuid(),
  video_id: z.uuid(),
  attempt: z.coerce.number().int().min(1),
  file: z.string(),
})
const Query = z.strictObject({ until: z.coerce.number().int(), for: z.uuid().optional(), sig: z.string() })

export interface MediaOptions {
  database: Database
  blobStore: BlobStore
  secretBox: SecretBox
}

/**
 * Registers `GET` and `HEAD` of the files of videos by signed links: the clip, its poster and captions, with ranges (RFC 9110 §14). Each
 * request reads again whether the video may be watched, so a link works no longer than that. Every refusal is 404.
 */
export function registerMedia(app: FastifyInstance, { database, blobStore, secretBox }: MediaOptions): void {
  app.route({
    method: 'GET',
    url: `${MEDIA}/:team_id/:project_id/:video_id/:attempt/:file`,
    handler: async (request, reply) => {
      const { ref, file, audience } = readLink(request, secretBox)
      const caption_id = CAPTIONS.exec(file)?.[1] ?? null
      const patience = { untilMs: performance.now() + PATIENCE_MS, isGone: () => request.raw.socket.destroyed }
      const row = await findMedia(database.patiently(patience), ref, { audience, caption_id })
      const found = row.attempt === ref.attempt ? representationOf(row, file) : null
      if (found === null) throw new ApiError('not_found')
      setHeaders(reply, audience, found)
      return sendRepresentation(request, reply, found, blobStore)
    },
    errorHandler: async (error, request, reply) => sendFailure(storeFailure(error), request, reply.removeHeader('content-disposition')),
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

function representationOf(row: MediaRow, file: string): Representation | null {
  const name =
    row.file_name
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.\w{1,5}$/, '') || 'video'
  if (file === CLIP && row.clip_key !== null && row.clip_bytes !== null)
    return { type: 'video/mp4', name: `${name}.mp4`, etag: etagOf(row.clip_key), key: row.clip_key, sizeBytes: row.clip_bytes }
  if (file === POSTER && row.poster_key !== null && row.poster_bytes !== null)
    return { type: 'image/jpeg', name: `${name}.jpg`, etag: etagOf(row.poster_key), key: row.poster_key, sizeBytes: row.poster_bytes }
  if (row.vtt === null) return null
  const bytes = Buffer.from(row.vtt)
  return { type: 'text/vtt; charset=utf-8', name: `${name}.vtt`, etag: etagOf(row.vtt), bytes, sizeBytes: bytes.length }
}

/** Shared caches may keep what is public, and ask each time. Nothing here may run as a page, and pages of other sites may show it. */
function setHeaders(reply: FastifyReply, audience: MediaAudience, { name, type, etag }: Representation): void {
  reply.headers({
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'cache-control': audience === 'public' ? 'no-cache' : 'private, no-cache',
    'content-disposition': contentDisposition(name, { type: 'inline' }),
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': type,
    'cross-origin-resource-policy': 'cross-origin',
    etag,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
}

function storeFailure(error: unknown): unknown {
  if (!(error instanceof BlobStoreError)) return error
  return Object.assign(new ApiError('dependency_unavailable', { retryAfterSeconds: RETRY_SECONDS }), { cause: error })
}
