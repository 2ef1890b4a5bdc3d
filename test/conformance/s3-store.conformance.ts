import { S3 } from '@aws-sdk/client-s3'
import { openBlobStore, readStorageUrl } from '@earshot/drivers'
import { expect, test } from 'vitest'
import { testBlobStore } from '../drivers/blob-store-conformance.ts'

/** The address of a bucket on a real server, with the credentials in the environment. */
const { S3_STORE_URL: url = '' } = process.env
const { searchParams, hostname: bucket } = new URL(url)
const endpoint = searchParams.get('endpoint') ?? ''
const client = new S3({ endpoint, region: 'us-east-1', forcePathStyle: true })
await client.createBucket({ Bucket: bucket })

testBlobStore('S3', async () => {
  const store = await openBlobStore(readStorageUrl(url))
  return { ...store, [Symbol.asyncDispose]: async () => client.destroy() }
})

test('no upload in parts is left behind', async () => {
  const { Uploads = [] } = await client.listMultipartUploads({ Bucket: bucket })
  expect(Uploads).toEqual([])
})

test('wrong credentials and a missing bucket are named', async () => {
  const missing = await openBlobStore(readStorageUrl(url.replace(bucket, 'no-such-bucket')))
  await expect(missing.check()).rejects.toMatchObject({ name: 'BlobStoreError', code: 'unavailable' })
  await expect(missing.get('a')).rejects.toMatchObject({ name: 'BlobStoreError', code: 'unavailable' })
  await missing.close()
  const { AWS_SECRET_ACCESS_KEY: secret = '' } = process.env
  process.env.AWS_SECRET_ACCESS_KEY = 'another'
  const stranger = await openBlobStore(readStorageUrl(url))
  await expect(stranger.check()).rejects.toMatchObject({ name: 'BlobStoreError', code: 'forbidden' })
  await expect(stranger.get('a')).rejects.toMatchObject({ name: 'BlobStoreError', code: 'forbidden' })
  await expect(stranger.put('a', new Blob(['text']).stream(), { sizeBytes: 4 })).rejects.toMatchObject({ code: 'forbidden' })
  await stranger.close()
  process.env.AWS_SECRET_ACCESS_KEY = secret
})
