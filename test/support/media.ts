import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { BlobStore } from '@earshot/drivers'
import { openS3Store } from '../../drivers/src/storage/s3-store.ts'
import { type FakeS3, startFakeS3 } from './fake-s3.ts'
import { openTestBlobStore } from './test-blob-store.ts'

export const STORES = ['directory', 'S3'] as const

export interface OpenedStore extends AsyncDisposable {
  blobStore: BlobStore
  /** Runs beside a directory, too, and is not used then. */
  s3: FakeS3
}

/** Opens a store of a kind; S3 needs credentials in the environment. */
export async function openStoreOf(kind: (typeof STORES)[number]): Promise<OpenedStore> {
  const s3 = await startFakeS3()
  const location = { bucket: 'bucket', prefix: '', region: null, forcePathStyle: true, endpoint: s3.endpoint }
  const blobStore = kind === 'S3' ? await openS3Store(location) : await openTestBlobStore()
  const dispose = async () => {
    await blobStore.close()
    await s3[Symbol.asyncDispose]()
  }
  return { blobStore, s3, [Symbol.asyncDispose]: dispose }
}

export interface MediaResponse {
  status: number
  headers: Record<string, string | undefined>
  bytes: Buffer
}

/** Requests a file as a player does, with the headers as they are: `fetch` would add and check some. */
export async function getMedia(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<MediaResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<MediaResponse>()
  const sent = request(url, { method, headers, agent: false }, async (response) => {
    // Every header that is read here has one value.
    const received = response.headers as MediaResponse['headers']
    buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, headers: received, bytes }), reject)
  })
  sent.on('error', reject)
  sent.end()
  return promise
}
