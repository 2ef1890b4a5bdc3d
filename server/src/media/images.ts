import { ApiError, type ImageFailure, imageFailures } from '@earshot/contracts'
import { type Database, findImage } from '@earshot/db'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { patienceOf } from '../auth/patience.ts'
import { matchesETag, namedTags } from '../http/etag.ts'
import { sendFailure } from '../http/failure.ts'
import { withoutFileHeaders } from './send.ts'

/** Where copies of images are served. */
const IMAGES = '/media/v1/images'
/** Shared caches too: what is withdrawn is gone from them within a day. */
const CACHED = 'public, max-age=86400, immutable'
/** A transparent pixel: what lies under a picture is seen through it, and no browser reports a failure. */
const NO_PICTURE_YET = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const RETRY_SECONDS = 2
const FILE = /^([0-9a-f]{32})\.webp$/
const Params = z.object({ team_id: z.uuid(), owner_id: z.uuid(), file: z.string().regex(FILE).optional() })

/** Returns the address of a copy: of the bytes that have this hash. Null without one. */
export function imageUrl(
  { baseUrl }: { baseUrl: string },
  { team_id, owner_id, version }: { team_id: string; owner_id: string; version: string | null | undefined },
): string | null {
  return version ? `${baseUrl}${IMAGES}/${team_id}/${owner_id}/${version}.webp` : null
}

/** Presents what became of the address of an image; null without an address. */
export function presentImageCopy(source: string | null, url: string | null, failure: ImageFailure | null) {
  if (source === null) return null
  if (failure !== null) return { state: 'failed' as const, url: null, error: { code: failure, detail: imageFailures[failure] } }
  return { state: url === null ? ('pending' as const) : ('ready' as const), url, error: null }
}

/**
 * Registers `GET` and `HEAD` of the copies of images, for everybody: they are of what is public, and gone with that. With the hash of
 * the bytes the address is as good as the file itself, and kept by browsers. Without it, it is the copy of now, for our own pages; while
 * that is being made, 202 and a picture that shows nothing.
 */
export function registerImages(app: FastifyInstance, { database }: { database: Database }): void {
  for (const url of [`${IMAGES}/:team_id/:owner_id`, `${IMAGES}/:team_id/:owner_id/:file`])
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request, reply) => {
        const params = Params.safeParse(request.params)
        if (!params.success) throw new ApiError('not_found')
        const { team_id, owner_id, file } = params.data
        const wanted = file === undefined ? null : (FILE.exec(file)?.[1] ?? null)
        const ref = { team_id, owner_id, version: wanted }
        const known = request.headers['if-none-match']
        const needs = { isHead: request.method === 'HEAD', known: namedTags(known) }
        const { version, size, bytes } = await findImage(database.patiently(patienceOf(request)), ref, needs)
        // A page of another site may show it, and nothing of it may run.
        reply.headers({
          'access-control-allow-origin': '*',
          'content-security-policy': "sandbox; default-src 'none'",
          'cross-origin-resource-policy': 'cross-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        })
        if (version === null || size === null) return sendPending(reply)
        const etag = `"${version}"`
        reply.headers({ 'cache-control': file === undefined ? 'no-cache' : CACHED, etag })
        if (matchesETag(known, etag)) return reply.code(304).send()
        reply.headers({ 'content-type': 'image/webp', 'content-length': size })
        return reply.send(bytes ?? undefined)
      },
      errorHandler: async (error, request, reply) => sendFailure(error, request, withoutFileHeaders(reply)),
    })
}

/** The next request may get the picture: nobody keeps this answer. */
function sendPending(reply: FastifyReply): FastifyReply {
  const headers = { 'cache-control': 'no-store', 'content-type': 'image/gif', 'content-length': NO_PICTURE_YET.length }
  return reply
    .code(202)
    .headers({ ...headers, 'retry-after': RETRY_SECONDS })
    .send(reply.request.method === 'HEAD' ? undefined : NO_PICTURE_YET)
}
