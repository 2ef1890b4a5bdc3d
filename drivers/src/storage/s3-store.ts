import type { Readable } from 'node:stream'
import { settleWithin } from '../settle-within.ts'
import { type Blob, type BlobRange, type BlobStore, BlobStoreError, requireKey, type SignOptions } from './blob-store.ts'
import { toBlobStream } from './blob-stream.ts'
import { openS3, type S3Access, type S3Location, type S3Timeouts, send } from './s3-client.ts'
import { isMissing, isNotImplemented, toS3Failure } from './s3-failure.ts'
import { putBlob } from './s3-put.ts'

const LEFTOVER_AGE_MS = 86_400_000
/** A blob whose length is not known is held in memory until it ends. */
const PART_BYTES = 4 * 1_024 * 1_024
const SILENT = Symbol('silent')

/** Opens a store in a bucket, with the credentials that the SDK finds in the environment. It does not connect yet. */
export async function openS3Store(location: S3Location, timeouts?: S3Timeouts): Promise<BlobStore> {
  const s3 = await openS3(location, timeouts)
  const { client, bucket, prefix } = s3
  const limits = { timeoutMs: s3.timeouts.requestMs }
  const placeOf = (key: string) => ({ Bucket: bucket, Key: prefix + requireKey(key) })
  return {
    name: `s3://${bucket}/${prefix}`,
    partBytes: PART_BYTES,
    put: async (key, source, options) => putBlob(s3, placeOf(key), source, options),
    get: async (key, range = {}) => getBlob(s3, placeOf(key), range),
    sign: async (key, options) => signBlob(s3, placeOf(key), options),
    size: async (key) => sizeOf(s3, placeOf(key)),
    delete: async (key) => {
      const place = placeOf(key)
      await send('DeleteObject', limits, (options) => client.deleteObject(place, options).catch(nullIfMissing))
    },
    list: (start) => listKeys(s3, start),
    removeLeftovers: () => abortOldUploads(s3),
    check: async () => {
      await send('HeadBucket', limits, (options) => client.headBucket({ Bucket: bucket }, options))
    },
    close: async () => client.destroy(),
  }
}

interface Place {
  Bucket: string
  Key: string
}

async function sizeOf({ client, timeouts }: S3Access, place: Place): Promise<number | null> {
  const found = await send('HeadObject', { timeoutMs: timeouts.requestMs }, (options) =>
    client.headObject(place, options).catch(nullIfMissing),
  )
  return found?.ContentLength ?? null
}

async function getBlob(s3: S3Access, place: Place, { start = 0, end, signal }: BlobRange): Promise<Blob | null> {
  if (end !== undefined && end <= start) return getNothing(s3, place)
  const isWhole = start === 0 && end === undefined
  const range = isWhole ? {} : { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` }
  const found = await send('GetObject', { timeoutMs: s3.timeouts.requestMs, signal }, (options) =>
    s3.client.getObject({ ...place, ...range }, options).catch(nullIf(isMissing, isBeyondTheEnd)),
  )
  if (found === null) return getNothing(s3, place)
  const { Body, ContentLength = 0, ContentRange } = found
  // In Node, the body of a response is its stream.
  const body = Body as Readable
  // A response that breaks off before anybody reads it must not end the process.
  body.on('error', () => {})
  const sizeBytes = ContentRange === undefined ? ContentLength : Number(ContentRange.split('/').at(-1))
  const bytes = toBlobStream(readBody(body, ContentLength, s3.timeouts.silenceMs), {
    close: () => void body.destroy(),
    toFailure: (error) => toS3Failure(error, 'a read'),
    signal,
  })
  return { sizeBytes, bytes }
}

/** Only `GET` works with the address: S3 signs the method. */
async function signBlob({ client, timeouts }: S3Access, place: Place, { lifeSeconds, type, disposition }: SignOptions): Promise<string> {
  const [{ GetObjectCommand }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  const command = new GetObjectCommand({ ...place, ResponseContentType: type, ResponseContentDisposition: disposition })
  // It sends nothing, but credentials that have run out are fetched anew.
  return send('a signature', { timeoutMs: timeouts.requestMs }, () => getSignedUrl(client, command, { expiresIn: lifeSeconds }))
}

/** Without a blob null, and without a byte in the range an empty stream: S3 answers both with an error. */
async function getNothing(s3: S3Access, place: Place): Promise<Blob | null> {
  const sizeBytes = await sizeOf(s3, place)
  return sizeBytes === null ? null : { sizeBytes, bytes: toBlobStream(readNothing(), { close: () => {}, toFailure: (error) => error }) }
}

async function* readNothing(): AsyncGenerator<Uint8Array> {}

/** Yields a body. Throws when it breaks off, or when nothing comes for too long. */
async function* readBody(body: AsyncIterable<Uint8Array>, sizeBytes: number, silenceMs: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let readBytes = 0
  for (;;) {
    const result = await settleWithin(silenceMs, chunks.next(), SILENT)
    if (result === SILENT) throw new BlobStoreError('unavailable', `S3 sent nothing for ${silenceMs} ms.`)
    if (result.done) break
    readBytes += result.value.length
    yield result.value
  }
  if (readBytes !== sizeBytes) throw new BlobStoreError('unavailable', `S3 sent ${readBytes} bytes of ${sizeBytes}.`)
}

async function* listKeys({ client, bucket, prefix, timeouts }: S3Access, start: string): AsyncGenerator<string> {
  let token: string | undefined
  do {
    const page = await send('ListObjectsV2', { timeoutMs: timeouts.requestMs }, (options) =>
      client.listObjectsV2({ Bucket: bucket, Prefix: prefix + start, ...(token !== undefined && { ContinuationToken: token }) }, options),
    )
    for (const { Key = '' } of page.Contents ?? []) yield Key.slice(prefix.length)
    token = page.NextContinuationToken
  } while (token !== undefined)
}

/** Aborts uploads in parts that nobody will complete: their parts take space that no list shows. */
async function abortOldUploads({ client, bucket, prefix, timeouts }: S3Access): Promise<void> {
  const limits = { timeoutMs: timeouts.requestMs }
  const oldest = Date.now() - LEFTOVER_AGE_MS
  const page = await send('ListMultipartUploads', limits, (options) =>
    client.listMultipartUploads({ Bucket: bucket, Prefix: prefix }, options).catch(nullIf(isNotImplemented)),
  )
  // One page each time: what is left is removed the next time.
  for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
    if (Initiated === undefined || Initiated.getTime() > oldest) continue
    await send('AbortMultipartUpload', limits, (options) =>
      client.abortMultipartUpload({ Bucket: bucket, Key, UploadId }, options).catch(nullIfMissing),
    )
  }
}

function isBeyondTheEnd(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidRange'
}

function nullIfMissing(error: unknown): null {
  return nullIf(isMissing)(error)
}

function nullIf(...kinds: ((error: unknown) => boolean)[]) {
  return (error: unknown): null => {
    if (kinds.some((isOfKind) => isOfKind(error))) return null
    throw error
  }
}
