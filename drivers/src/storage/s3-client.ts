import type { S3 } from '@aws-sdk/client-s3'
import { BlobStoreError } from './blob-store.ts'
import { toS3Failure } from './s3-failure.ts'

/** All attempts of one request share one of these limits. */
export interface S3Timeouts {
  connectMs: number
  /** For a request without a body, up to its headers if it reads a blob. */
  requestMs: number
  /** For a blob, or a part of one. */
  putMs: number
  /** For joining the parts of a blob, which some servers do by copying. */
  joinMs: number
  /** For silence while a blob is read. */
  silenceMs: number
}

const TIMEOUTS: S3Timeouts = { connectMs: 5_000, requestMs: 15_000, putMs: 60_000, joinMs: 300_000, silenceMs: 30_000 }
const MAX_ATTEMPTS = 3
/** Each viewer of a video holds one, also while the player pauses: the SDK's 50 would soon let every other request wait. */
const MAX_SOCKETS = 2_000
/** S3 has no regions behind an endpoint of one's own, but each signature names one. */
const DEFAULT_REGION = 'us-east-1'

export interface S3Location {
  bucket: string
  /** The start of every key: empty, or ending with a slash. */
  prefix: string
  /** Where the server is; null for AWS. */
  endpoint: string | null
  /** Null for the region of the environment. */
  region: string | null
  forcePathStyle: boolean
}

/** A client, and what its requests need. */
export interface S3Access extends Pick<S3Location, 'bucket' | 'prefix'> {
  client: S3
  timeouts: S3Timeouts
}

/** Opens a client, with the credentials of the environment. It loads the SDK, and does not connect yet. */
export async function openS3(location: S3Location, timeouts: S3Timeouts = TIMEOUTS): Promise<S3Access> {
  const { S3 } = await import('@aws-sdk/client-s3')
  const { bucket, prefix, endpoint, forcePathStyle } = location
  const region = location.region ?? (endpoint === null ? null : DEFAULT_REGION)
  const client = new S3({
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(region !== null && { region }),
    // Not every server knows the newer checksums. Bodies are buffers, so their SHA-256 is signed.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  })
  return { client, timeouts, bucket, prefix }
}

interface Limits {
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/**
 * Sends a request within its limits. `action` names it in the error for operators. The signal keeps its effect on what the
 * request returned, such as a body; the timeout does not. Throws `BlobStoreError`, or the signal's reason.
 */
export async function send<Result>(
  action: string,
  { timeoutMs, signal }: Limits,
  request: (options: { abortSignal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  try {
    return await request({ abortSignal: signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal })
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (deadline.signal.aborted) throw new BlobStoreError('unavailable', `S3 did not answer ${action} in ${timeoutMs} ms.`)
    throw toS3Failure(error, action)
  } finally {
    clearTimeout(timer)
  }
}
