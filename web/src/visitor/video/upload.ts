import { EarshotApiError, uploadVideoFile } from '@earshot/contracts/client'
import { newKey, sendRequest } from '../request.ts'
import type { Reservation } from './kept-recording.ts'

/** While a page is open, an upload waits for its connection. */
const GIVE_UP_AFTER_MS = 12 * 3_600_000
const CHUNK_BYTES = 1_048_576
const RETRY_MS = 2_000
const NOT_CONNECTED = 0

/** How far an upload is. */
export interface UploadState {
  phase: 'uploading' | 'lost' | 'uploaded' | 'failed'
  sentBytes: number
  totalBytes: number | null
  /** Why it failed. */
  code: string | null
}

export interface Upload {
  state: () => UploadState
  /** The video, once it is reserved. */
  reservation: () => Reservation | null
  /** Resolves to whether all has arrived. */
  ended: Promise<boolean>
  /** Ends it and removes what has arrived. */
  discard: () => void
}

interface UploadOptions {
  key: string
  contentType: string
  fileName: string
  file: Blob | ReadableStream<Uint8Array>
  /** Of an upload that goes on. */
  reservation: Reservation | null
  onReserved: (reservation: Reservation) => void
  onChange: (state: UploadState) => void
}

/** Uploads a video in the background, from the first piece of a recording on. It waits for a lost connection, and resumes. */
export function startUpload(options: UploadOptions): Upload {
  const { file, onChange } = options
  const controller = new AbortController()
  const { signal } = controller
  let reservation = options.reservation
  let state: UploadState = { phase: 'uploading', sentBytes: 0, totalBytes: file instanceof Blob ? file.size : null, code: null }
  const change = (changes: Partial<UploadState>) => {
    state = { ...state, ...changes }
    if (!signal.aborted) onChange(state)
  }

  async function run(isAgain: boolean): Promise<boolean> {
    try {
      reservation ??= await reserve(options, { signal, onLost: () => change({ phase: 'lost' }) })
      options.onReserved(reservation)
      const totalBytes = await uploadVideoFile({ baseUrl: location.origin }, reservation, file, {
        signal,
        chunkBytes: CHUNK_BYTES,
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        onProgress: ({ sentBytes }) => change({ phase: 'uploading', sentBytes }),
        onRetry: () => change({ phase: 'lost' }),
      })
      change({ phase: 'uploaded', sentBytes: totalBytes, totalBytes })
      return true
    } catch (error) {
      const code = error instanceof EarshotApiError ? error.code : ''
      // The time of the reservation is over, or its project has forgotten it: the file begins anew.
      if (!isAgain && file instanceof Blob && ['upload_expired', 'not_found', 'not_authenticated'].includes(code)) {
        reservation = null
        return run(true)
      }
      change({ phase: 'failed', code })
      return false
    }
  }

  return {
    state: () => state,
    reservation: () => reservation,
    ended: run(false),
    discard: () => {
      controller.abort(new DOMException('Discarded', 'AbortError'))
      if (reservation) removeUpload(reservation)
    },
  }
}

/** Reserves an upload; waits for the connection. Throws EarshotApiError when it is refused. */
async function reserve(
  { key, file, contentType, fileName }: UploadOptions,
  { signal, onLost }: { signal: AbortSignal; onLost: () => void },
): Promise<Reservation> {
  const body = { file_name: fileName, content_type: contentType, size_bytes: file instanceof Blob ? file.size : null }
  // A reservation whose response was lost is not made twice.
  const headers = { 'idempotency-key': newKey() }
  for (;;) {
    signal.throwIfAborted()
    const answer = await sendRequest<Reservation>(`/api/public/v1/projects/${key}/uploads/`, { method: 'POST', body, headers })
    if ('output' in answer) return answer.output
    const { status, code, retryAfterMs } = answer.failure
    if (status !== NOT_CONNECTED && status < 500 && status !== 429) {
      throw new EarshotApiError(status, { code: code as ErrorCode, detail: code, request_id: '' }, undefined)
    }
    onLost()
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs ?? RETRY_MS))
  }
}

type ErrorCode = ConstructorParameters<typeof EarshotApiError>[1]['code']

/** What was discarded is of no use to anybody. Without a connection, its time runs out by itself. */
function removeUpload({ upload }: Reservation): void {
  const { pathname } = new URL(upload.url)
  void sendRequest(pathname, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0', 'x-upload-token': upload.token } })
}
