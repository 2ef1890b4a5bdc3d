import { randomUUID } from 'node:crypto'
import { ApiError, contracts, type NamedOperation, type Operation } from '@earshot/contracts'
import { announceBlob, findAwaitedImport, type ImportRef, type ImportRow, noteImportFile, presentImport, toTimestamp } from '@earshot/db'
import { BlobSizeError, type BlobStore, BlobStoreError } from '@earshot/drivers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { InProject } from '../auth/callers.ts'
import { type ReplyHeaders, replyHeadersOf } from '../auth/reply-headers.ts'
import { requestFactsOf } from '../auth/request-facts.ts'
import { sendFailure } from '../http/failure.ts'
import type { AnyHandler, AuthorizedRequest, Pipeline } from '../http/pipeline.ts'

const { complete } = contracts.imports
const PATH = complete.path.replace('/complete/', '/file/')
/** Without a byte for so long, an upload is broken off. */
const STALL_MS = 60_000
/** The headers were set at the beginning. */
const silent: ReplyHeaders = { rateLimit: () => {}, cookie: () => {} }

/** What the upload does before and after the file is stored, with the rights that completing the import takes. */
const before = { ...complete, output: z.object({ key: z.string(), size_bytes: z.int() }) }
const after = { ...complete, input: complete.input.extend({ key: z.string() }) }

interface Call<Input> {
  ctx: InProject
  input: Input
}

async function announce({ ctx, input }: Call<ImportRef>): Promise<z.output<typeof before.output>> {
  const { team_id, import_id, size_bytes } = { ...(await findAwaitedImport(ctx.tx, input)), import_id: input.import_id }
  const key = `imports/${team_id}/${import_id}/${randomUUID()}`
  await announceBlob(ctx.tx, { team_id, key })
  return { key, size_bytes: size_bytes ?? 0 }
}

async function note({ ctx, input: { key, ...ref } }: Call<ImportRef & { key: string }>) {
  return presentImport(await noteImportFile(ctx.tx, ref, key))
}

interface UploadOptions {
  compile: (named: NamedOperation, handler: AnyHandler) => Pipeline
  blobStore: BlobStore
  baseUrl: string
}

/** Returns where the file of an import is uploaded. */
export function uploadOf(row: ImportRow, baseUrl: string) {
  const path = PATH.replace('{team_id}', row.team_id).replace('{project_id}', row.project_id).replace('{import_id}', row.id)
  return { url: baseUrl + path, max_bytes: row.size_bytes ?? 0, expires_at: toTimestamp(row.file_until) ?? '' }
}

/**
 * Registers `PUT …/imports/{import_id}/file/`: stores the bytes of a file as they come. It is authorized and counted as the
 * completion of the import is, before the first byte and again after the last one.
 */
export function registerImportUpload(app: FastifyInstance, { compile, blobStore, baseUrl }: UploadOptions): void {
  const announcing = compile(named(before), announce as AnyHandler)
  const noting = compile(named(after), note as AnyHandler)
  const ownOrigin = new URL(baseUrl).origin
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    // Nothing is read before the request is authorized.
    scope.addContentTypeParser('*', async () => undefined)
    scope.route({
      method: 'PUT',
      url: PATH.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { bodyStallMs: STALL_MS },
      onRequest: async (request, reply) => {
        request.authorized = await announcing.authorize(requestFactsOf(request, ownOrigin), replyHeadersOf(reply))
      },
      handler: async (request, reply) => {
        const ref = request.params as Record<string, string> // The pipeline checks them.
        const { key, size_bytes } = await perform<z.output<typeof before.output>>(announcing, request.authorized as AuthorizedRequest, ref)
        await store(blobStore, key, size_bytes, request)
        // The first authorization has grown old meanwhile.
        const authorized = await noting.reauthorize(requestFactsOf(request, ownOrigin), silent)
        reply.header('cache-control', 'private, no-store')
        return reply.send(await perform<object>(noting, authorized, { ...ref, key }))
      },
      errorHandler: async (error, request, reply) => sendFailure(error, request, reply.header('connection', 'close')),
    })
    done()
  })
}

function named(operation: Operation): NamedOperation {
  return { name: 'imports.upload', operationId: 'imports_upload', words: ['imports', 'upload'], operation }
}

async function perform<Output>(pipeline: Pipeline, authorized: AuthorizedRequest, input: Record<string, unknown>): Promise<Output> {
  const result = await pipeline.perform(authorized, input, null)
  if ('refusal' in result) throw result.refusal
  return result.output as Output // The handlers above.
}

async function store(blobStore: BlobStore, key: string, sizeBytes: number, request: FastifyRequest): Promise<void> {
  const announced = Number(request.headers['content-length'] ?? sizeBytes)
  if (announced !== sizeBytes) throw wrongSize(sizeBytes, announced > sizeBytes)
  try {
    // A source that ends early would otherwise break the connection before the response.
    await blobStore.put(key, request.raw.iterator({ destroyOnReturn: false }), { sizeBytes })
  } catch (error) {
    if (error instanceof BlobSizeError) throw wrongSize(sizeBytes, error.isLonger)
    // The client is gone, and reads no response.
    if (!(error instanceof BlobStoreError) && request.raw.socket.destroyed) throw wrongSize(sizeBytes, false)
    throw error
  }
}

function wrongSize(sizeBytes: number, isLonger: boolean): ApiError {
  if (isLonger)
    return new ApiError('body_too_large', {
      limit_bytes: sizeBytes,
      detail: `The file is longer than the ${sizeBytes} bytes that were reserved.`,
    })
  const detail = `The file is shorter than the ${sizeBytes} bytes that were reserved; upload all of it.`
  return new ApiError('validation_error', { detail, errors: [{ field: '', code: 'too_small', detail: `must be ${sizeBytes} bytes` }] })
}
