import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BlobStore } from './blob-store.ts'
import { openFileStore } from './file-store.ts'
import type { S3Location } from './s3-client.ts'
import { openS3Store } from './s3-store.ts'

const EXPECTED = 'must be like file:/var/lib/earshot/blobs or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1'
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$/
const REGION = /^[a-z0-9-]+$/
const PARAMETERS = ['endpoint', 'region', 'force_path_style']

/** Where blobs are stored. */
export type StorageLocation = { kind: 'file'; directory: string } | ({ kind: 's3' } & S3Location)

/**
 * Reads `file:` with a path, absolute or relative to the working directory, or `s3://bucket/prefix` with `endpoint`, `region`
 * and `force_path_style`. Throws an Error that says what is expected.
 */
export function readStorageUrl(text: string): StorageLocation {
  if (text.startsWith('file:')) return { kind: 'file', directory: readDirectory(text) }
  const url = text.startsWith('s3://') ? URL.parse(text) : null
  if (url === null) throw new Error(EXPECTED)
  if (url.username !== '' || url.password !== '')
    throw new Error('must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  return { kind: 's3', ...readS3(url) }
}

/** Opens the store. An S3 store does not connect yet. Throws `BlobStoreError`. */
export function openBlobStore(location: StorageLocation): Promise<BlobStore> {
  return location.kind === 'file' ? openFileStore(location.directory) : openS3Store(location)
}

/** Returns the origin of the addresses that the store signs, as a source of a Content-Security-Policy. */
export function signedOrigin({ bucket, endpoint, forcePathStyle }: S3Location): string {
  if (endpoint === null) return 'https://*.amazonaws.com'
  const { protocol, host } = new URL(endpoint)
  return forcePathStyle ? `${protocol}//${host}` : `${protocol}//${bucket}.${host}`
}

function readDirectory(text: string): string {
  const path = text.slice('file:'.length)
  if (path === '') throw new Error(EXPECTED)
  if (!path.startsWith('//')) return resolve(path)
  try {
    return fileURLToPath(text)
  } catch {
    throw new Error('must have three slashes, or one, before an absolute path: file:/var/lib/earshot/blobs')
  }
}

function readS3({ hostname, port, pathname, searchParams, hash }: URL): S3Location {
  if (!BUCKET.test(hostname) || port !== '' || hash !== '') throw new Error(EXPECTED)
  if (!PREFIX.test(pathname)) throw new Error('must have a prefix of letters, digits, dots, hyphens and underscores')
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) throw new Error(`must have no parameters but ${PARAMETERS.join(', ')}`)
  const endpoint = searchParams.get('endpoint')
  const region = searchParams.get('region')
  const pathStyle = searchParams.get('force_path_style') ?? String(endpoint !== null)
  if (endpoint !== null && !isEndpoint(endpoint)) throw new Error('must have an endpoint like https://s3.example.com')
  if (region !== null && !REGION.test(region)) throw new Error('must have a region like eu-central-1')
  if (!['true', 'false'].includes(pathStyle)) throw new Error('must have force_path_style=true or force_path_style=false')
  const prefix = pathname.replace(/^\/|\/$/g, '')
  return { bucket: hostname, prefix: prefix === '' ? '' : `${prefix}/`, endpoint, region, forcePathStyle: pathStyle === 'true' }
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text)
  const isBare = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return isBare && ['https:', 'http:'].includes(url.protocol)
}
