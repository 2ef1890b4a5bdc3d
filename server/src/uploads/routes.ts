import { ApiError } from '@earshot/contracts'
import { findUpload, type Tx, toTimestamp, type Upload } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hashToken } from '../auth/token-values.ts'
import { uploadTokenMissing, uploadTokenOf } from '../auth/upload-token.ts'
import { EXPOSED } from '../http/cors.ts'
import type { Databases } from '../http/executors.ts'
import { sendFailure } from '../http/failure.ts'
import { PUBLIC_UPLOADS, UPLOADS } from '../videos/uploads.ts'
import { CHECKSUM_ALGORITHMS } from './checksum.ts'
import { requirePresent } from './open-upload.ts'
import type { TusReply } from './tus.ts'
import { EXTENSIONS, TUS_VERSION } from './tus-protocol.ts'

const PATHS = [`${UPLOADS}/:video_id/`, `${PUBLIC_UPLOADS}/:video_id/`]
const METHODS = ['HEAD', 'PATCH', 'DELETE']
/** A client that sends nothing for so long is broken off. */
const STALL_MS = 30_000
/** Each takes 2 MiB of memory, and with S3 twice its part of 4 MiB. */
const MAX_ACTIVE = 32
const RETRY_SECONDS = 5
const TUS_EXPOSED =
  'Tus-Resumable, Tus-Version, Tus-Extension, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, Upload-Defer-Length, Upload-Expires'

declare module 'fastify' {
  interface FastifyRequest {
    /** The upload that the token of the request is for. */
    upload: Upload | null
  }
}

export interface UploadsOptions extends Databases {
  blobStore: BlobStore
  /** How long a body may stall; 30 seconds unless given. */
  stallMs?: number
  /** How many requests of this process receive bytes at the same time; 32 unless given. */
  maxActive?: number
}

/**
 * Registers uploads by tus 1.0: HEAD, PATCH and DELETE of `/api/v1/uploads/{video_id}/`, and the same on the public plane. Uploads
 * are reserved by operations, so a POST is 405. A request is authorized by `X-Upload-Token` alone: without it 401, with one that is
 * wrong or of another upload 404.
 */
export function registerUploads(app: FastifyInstance, options: UploadsOptions): void {
  const { stallMs = STALL_MS, maxActive = MAX_ACTIVE } = options
  let active = 0

  async function receive(request: FastifyRequest): Promise<TusReply> {
    if (active >= maxActive) throw new ApiError('dependency_unavailable', { retryAfterSeconds: RETRY_SECONDS })
    active += 1
    try {
      return await answer(request)
    } finally {
      active -= 1
    }
  }

  async function answer(request: FastifyRequest): Promise<TusReply> {
    const upload = request.upload as Upload // The hook found it.
    const ref = { team_id: upload.team_id, project_id: upload.project_id, video_id: upload.id }
    // Loads @tus/server with the first upload.
    const { answerTus } = await import('./tus.ts')
    return answerTus({ tx: executorOf(options, upload), blobStore: options.blobStore, ref, request: request.raw, upload, stallMs })
  }

  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    // Nothing is read before the request is authorized.
    scope.addContentTypeParser('*', async () => undefined)
    scope.decorateRequest('upload', null)
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('tus-resumable', TUS_VERSION).header('access-control-expose-headers', `${EXPOSED}, ${TUS_EXPOSED}`)
    })
    for (const url of PATHS) {
      scope.options(url, async (_request, reply) => describe(reply))
      scope.route({
        method: METHODS,
        url,
        // The upload sees to its own stalls; this is for a body that nothing reads.
        config: { bodyStallMs: stallMs * 4 },
        onRequest: async (request) => {
          request.upload = await authorize(options.database, request)
        },
        handler: async (request, reply) => {
          const { status, headers } = await (request.method === 'PATCH' ? receive(request) : answer(request))
          if (!isComplete(headers, request)) reply.header('upload-expires', expiryOf(request.upload))
          return reply.code(status).headers(headers).header('cache-control', 'no-store').send()
        },
        errorHandler: async (error, request, reply) => sendTusFailure(error, request, reply),
      })
    }
    done()
  })
}

/** Finds the upload that the token is for. Throws `not_authenticated`, `not_found` and `upload_expired`. */
async function authorize(tx: Tx, { headers, params }: FastifyRequest): Promise<Upload> {
  const token = uploadTokenOf(headers)
  if (token === null) throw uploadTokenMissing()
  const { success, data: video_id } = z.uuid().safeParse((params as Record<string, string>).video_id)
  if (!success) throw new ApiError('not_found')
  return requirePresent(await findUpload(tx, { video_id, token_hash: hashToken(token) }))
}

/** Where the statements of an upload run, once its team is known. */
function executorOf({ database, teamDatabase }: Databases, { team_id }: Upload): Tx {
  return teamDatabase ? teamDatabase.forTeam(team_id) : database
}

function describe(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('tus-version', TUS_VERSION)
    .header('tus-extension', EXTENSIONS.join(','))
    .header('tus-checksum-algorithm', CHECKSUM_ALGORITHMS)
    .send()
}

function sendTusFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, fields } = error as Partial<ApiError>
  if (code === 'tus_version_unsupported') reply.header('tus-version', TUS_VERSION)
  if (code === 'offset_conflict') reply.header('upload-offset', String(fields?.offset_bytes))
  // What was not read of the body must not be taken for the next request.
  if (!request.raw.complete) reply.header('connection', 'close')
  return sendFailure(error, request, reply)
}

/** Whether nothing is left to expire: the file is there, or the upload is gone. */
function isComplete(headers: Record<string, string>, { upload, method }: FastifyRequest): boolean {
  return method === 'DELETE' || headers['upload-offset'] === String(upload?.size_bytes)
}

/** RFC 9110 §5.6.7, as tus 1.0 demands for `Upload-Expires`. */
function expiryOf(upload: Upload | null): string {
  return new Date(toTimestamp(upload?.upload_until ?? null) ?? 0).toUTCString()
}
