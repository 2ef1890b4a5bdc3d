import type { IncomingMessage } from 'node:http'
import { ApiError } from '@earshot/contracts'
import type { Upload } from '@earshot/db'
import { ERRORS, Server } from '@tus/server'
import { toApiError } from '../http/failure.ts'
import { readChecksum } from './checksum.ts'
import { LedgerStore, type UploadRequest } from './ledger-store.ts'
import { TUS_VERSION } from './tus-protocol.ts'

const PATH = '/uploads'
const OFFSET_TYPE = 'application/offset+octet-stream'
/** What @tus/server may see of a request. It must not follow `X-HTTP-Method-Override`, nor check headers of proxies. */
const HEADERS = ['tus-resumable', 'upload-offset', 'upload-length', 'content-type', 'content-length']
/** What the response takes over; the rest is set by the service itself. */
const REPLY_HEADERS = ['upload-offset', 'upload-length', 'upload-defer-length']

export interface TusReply {
  status: number
  headers: Record<string, string>
}

export interface TusOptions extends UploadRequest {
  upload: Upload
}

/** Answers HEAD, PATCH and DELETE by tus 1.0 (https://tus.io). Throws an ApiError. */
export async function answerTus(options: TusOptions): Promise<TusReply> {
  const { request, upload } = options
  requireTus(request)
  const store = new LedgerStore(options)
  let failure: unknown = null
  const server = new Server({
    path: PATH,
    datastore: store,
    locker: store,
    maxSize: upload.max_bytes,
    getFileIdFromRequest: () => upload.id,
    onResponseError: async (_request, error) => {
      failure = error
      return undefined
    },
  })
  const response = await server.handleWeb(toWebRequest(options))
  if (store.failure !== null || failure !== null) throw toFailure(store.failure ?? failure, store.current ?? upload)
  if (response.status >= 400) throw new ApiError('validation_error', { detail: `${(await response.text()).trim()}.` })
  const headers = Object.fromEntries(REPLY_HEADERS.flatMap((name) => entryOf(name, response.headers.get(name))))
  return { status: response.status, headers }
}

/** Refuses what @tus/server would answer with another status, and an unknown checksum before anything is stored. */
function requireTus({ headers, method }: IncomingMessage): void {
  // tus 1.0: the server MUST answer 412 for a version that it does not know, and MUST NOT process the request.
  if (headers['tus-resumable'] !== TUS_VERSION) throw new ApiError('tus_version_unsupported')
  if (method !== 'PATCH') return
  // tus 1.0: 415 for another type.
  if (headers['content-type'] !== OFFSET_TYPE)
    throw new ApiError('unsupported_media_type', { detail: `Send the bytes with "Content-Type: ${OFFSET_TYPE}".` })
  if (headers['upload-offset'] === undefined) throw invalidHeader('Upload-Offset', 'required', 'is required')
  readChecksum(headers['upload-checksum'])
}

function toWebRequest({ request, upload }: TusOptions): Request {
  const headers = new Headers(HEADERS.flatMap((name) => entryOf(name, request.headers[name] as string | undefined)))
  // A length that was set is sent again by clients that never saw the response.
  if (headers.get('upload-length') === String(upload.size_bytes)) headers.delete('upload-length')
  const url = `http://localhost${PATH}/${upload.id}`
  const method = request.method ?? ''
  // The store reads the body.
  return new Request(url, { method, headers })
}

function toFailure(error: unknown, { offset_bytes, size_bytes, max_bytes }: Upload): ApiError {
  if (error === ERRORS.INVALID_OFFSET) return new ApiError('offset_conflict', { offset_bytes })
  if (error === ERRORS.INVALID_LENGTH) return invalidHeader('Upload-Length', 'invalid_value', 'is set only once')
  if ((error as { status_code?: number }).status_code === 413) {
    const limit_bytes = size_bytes ?? max_bytes
    return new ApiError('body_too_large', { limit_bytes, detail: `The file is longer than ${limit_bytes} bytes.` })
  }
  if (error === ERRORS.ABORTED) return new ApiError('validation_error', { detail: 'The connection broke off.' })
  return Object.assign(toApiError(error), error instanceof ApiError ? {} : { cause: error })
}

function invalidHeader(field: string, code: string, detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field, code, detail }] })
}

function entryOf(name: string, value: string | null | undefined): [string, string][] {
  return value === null || value === undefined ? [] : [[name, value]]
}
