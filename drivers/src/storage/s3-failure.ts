import { BlobStoreError } from './blob-store.ts'

const STATUS_NOT_FOUND = 404
const CODES: Record<number, BlobStoreError['code']> = { 401: 'forbidden', 403: 'forbidden', 507: 'full' }
/** Names by which servers say that they have no space, whatever the status. */
const FULL = /Quota|StorageFull|InsufficientStorage|InsufficientCapacity|NoSpace/
const SAFE_NAME = /^\w{1,64}$/

interface S3Error extends Error {
  code?: unknown
  $metadata?: { httpStatusCode?: number }
}

/**
 * Converts an error of the SDK. Its own message and cause are left out: they can hold the request with its signature.
 */
export function toS3Failure(error: unknown, action: string): unknown {
  if (error instanceof BlobStoreError || !(error instanceof Error)) return error
  const { name, $metadata, code }: S3Error = error
  const status = $metadata?.httpStatusCode
  if (name === 'CredentialsProviderError') {
    return new BlobStoreError('forbidden', 'There are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  }
  if (/^Region is missing/.test(error.message)) {
    return new BlobStoreError('unavailable', 'The region of the S3 bucket is not known: set AWS_REGION, or add region= to the address.')
  }
  const words = [status, SAFE_NAME.test(name) && name !== 'Error' ? name : null, typeof code === 'string' ? code : null]
  const details = words.filter((word) => word !== null && word !== undefined).join(' ')
  if (status === undefined) return new BlobStoreError('unavailable', `S3 cannot be reached for ${action} (${details || 'no details'}).`)
  return new BlobStoreError(FULL.test(name) ? 'full' : (CODES[status] ?? 'unavailable'), `S3 refused ${action} (${details}).`)
}

/** Whether there is no such blob. A missing bucket is a failure. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'NoSuchBucket') return false
  const { $metadata }: S3Error = error
  return $metadata?.httpStatusCode === STATUS_NOT_FOUND
}

/** Whether the server does not have the operation: not every one lists unfinished uploads. */
export function isNotImplemented(error: unknown): boolean {
  return error instanceof Error && ['NotImplemented', 'MethodNotAllowed'].includes(error.name)
}
