import type { CompletedPart } from '@aws-sdk/client-s3'
import type { PutOptions } from './blob-store.ts'
import { longestOf, readExactly, toParts, unwrapSourceFailure } from './exact-source.ts'
import { type S3Access, send } from './s3-client.ts'

const PART_BYTES = 8_388_608
/** S3 joins no more parts than this. */
const MAX_PARTS = 10_000

/** Where a blob goes, as the requests of the SDK name it. */
interface Place {
  Bucket: string
  Key: string
}

/**
 * Puts a blob in one request, or in parts that are joined at the end. Each body is a buffer whose hash is signed: there are
 * servers that keep what has arrived of a stream when its connection breaks (versitygw 1.8), in place of the old blob. A
 * buffer can also be sent again.
 */
export async function putBlob(s3: S3Access, place: Place, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<void> {
  const mostBytes = longestOf(options)
  const partBytes = Math.max(PART_BYTES, Math.ceil(mostBytes / MAX_PARTS))
  const parts = toParts(readExactly(source, options), Math.min(partBytes, Math.max(1, mostBytes)))
  try {
    if (mostBytes <= partBytes) return await putWhole(s3, place, parts, options)
    const hasParts = await putInParts(s3, place, parts, options)
    if (!hasParts) await putWhole(s3, place, parts, options)
  } catch (error) {
    throw unwrapSourceFailure(error)
  }
}

async function putWhole(s3: S3Access, place: Place, parts: AsyncIterable<Buffer>, { signal }: PutOptions): Promise<void> {
  let body: Buffer = Buffer.alloc(0)
  for await (const part of parts) body = part
  const limits = { timeoutMs: s3.timeouts.putMs, signal }
  await send('PutObject', limits, (options) => s3.client.putObject({ ...place, Body: body, ContentLength: body.length }, options))
}

/** Returns false, having put nothing, when there are no parts: S3 joins none. */
async function putInParts(
  { client, timeouts }: S3Access,
  place: Place,
  parts: AsyncIterable<Buffer>,
  { signal }: PutOptions,
): Promise<boolean> {
  const { requestMs, putMs, joinMs } = timeouts
  const { UploadId } = await send('CreateMultipartUpload', { timeoutMs: requestMs, signal }, (options) =>
    client.createMultipartUpload(place, options),
  )
  const upload = { ...place, UploadId }
  // Parts that stay are removed as leftovers later.
  const abort = () =>
    send('AbortMultipartUpload', { timeoutMs: requestMs }, (options) => client.abortMultipartUpload(upload, options)).catch(() => {})
  try {
    const sent: CompletedPart[] = []
    for await (const part of parts) {
      const PartNumber = sent.length + 1
      const body = { Body: part, ContentLength: part.length, PartNumber }
      const { ETag } = await send('UploadPart', { timeoutMs: putMs, signal }, (options) =>
        client.uploadPart({ ...upload, ...body }, options),
      )
      sent.push({ PartNumber, ETag })
    }
    if (sent.length === 0) return await abort().then(() => false)
    await send('CompleteMultipartUpload', { timeoutMs: joinMs, signal }, (options) =>
      client.completeMultipartUpload({ ...upload, MultipartUpload: { Parts: sent } }, options),
    )
    return true
  } catch (error) {
    await abort()
    throw error
  }
}
