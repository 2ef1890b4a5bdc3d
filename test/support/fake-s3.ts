import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

const BUCKET = /^\/[^/]+\/?$/

/** Answers a request in place of the server. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void

export interface FakeS3 extends AsyncDisposable {
  endpoint: string
  /** The requests so far, each as its method and path, with the name of its first parameter. */
  requests: string[]
  /** The blobs by path: `/bucket/key`. */
  blobs: Map<string, Buffer>
  /** The unfinished uploads in parts, with their parts by number. */
  uploads: Map<string, Map<number, Buffer>>
  /** Answers requests that match, such as `PUT /bucket/key`, for so many times. */
  breakRequests: (pattern: RegExp, fault: Fault, times?: number) => void
}

/** Answers with an error as S3 does. */
export function refuse(status: number, code: string): Fault {
  return (request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<Error><Code>${code}</Code><Message>The signature was 5f0c, the key AKIA</Message></Error>`)
  }
}

/** Reads the request and never answers. */
export const hang: Fault = (request) => void request.resume()

/** Breaks the connection before the whole request has arrived. */
export const reset: Fault = ({ socket }) => void setTimeout(() => socket.destroy(), 5)

/** Sends some bytes of a blob, then does what `end` says. */
export function sendPart(end: 'resets' | 'hangs'): Fault {
  return (_request, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 })
    response.write(Buffer.alloc(100_000), () => {
      if (end === 'resets') response.socket?.destroy()
    })
  }
}

/** Starts a server that speaks as much of S3 as the store needs, keeps blobs in memory, and fails on demand. It checks no signature. */
export async function startFakeS3(): Promise<FakeS3> {
  const faults: { pattern: RegExp; fault: Fault; times: number }[] = []
  const state: State = { blobs: new Map(), uploads: new Map() }
  const requests: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3')
    const [parameter = ''] = [...searchParams.keys()].filter((name) => name !== 'x-id')
    const line = `${request.method} ${pathname}${parameter && `?${parameter}`}`
    requests.push(line)
    const found = faults.find(({ pattern, times }) => times > 0 && pattern.test(line))
    if (!found) return void answer(state, { request, response, path: pathname, parameters: searchParams })
    found.times -= 1
    found.fault(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on a port has an address with it.
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ...{ requests, ...state },
    breakRequests: (pattern, fault, times = Number.POSITIVE_INFINITY) => void faults.push({ pattern, fault, times }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

type State = Pick<FakeS3, 'blobs' | 'uploads'>

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  path: string
  parameters: URLSearchParams
}

async function answer(state: State, { request, response, path, parameters }: Exchange): Promise<void> {
  const body = await buffer(request).catch(() => null)
  // A request that breaks off changes nothing.
  if (body === null) return
  const upload = parameters.get('uploadId') ?? ''
  const parts = state.uploads.get(upload)
  if (request.method === 'POST' && parameters.has('uploads')) return void response.end(startUpload(state))
  if (request.method === 'PUT' && parts) parts.set(Number(parameters.get('partNumber')), body)
  else if (request.method === 'PUT') state.blobs.set(path, body)
  if (request.method === 'POST' && parts)
    state.blobs.set(path, Buffer.concat([...parts.keys()].sort(byNumber).map((part) => parts.get(part) ?? body)))
  if (parts && request.method !== 'PUT') state.uploads.delete(upload)
  else if (request.method === 'DELETE') state.blobs.delete(path)
  if (BUCKET.test(path)) return void response.end()
  if (request.method === 'GET' || request.method === 'HEAD') return send(state.blobs.get(path), { request, response, parameters })
  response.setHeader('etag', '"etag"')
  response.end(request.method === 'POST' ? '<CompleteMultipartUploadResult><ETag>"etag"</ETag></CompleteMultipartUploadResult>' : '')
}

function startUpload({ uploads }: State): string {
  const id = randomUUID()
  uploads.set(id, new Map())
  return `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`
}

function send(blob: Buffer | undefined, { request, response, parameters }: Pick<Exchange, 'request' | 'response' | 'parameters'>): void {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (blob && start >= blob.length && request.headers.range !== undefined) return void refuse(416, 'InvalidRange')(request, response)
  const bytes = blob?.subarray(start, end + 1)
  // What a signed address asks for.
  for (const name of ['content-type', 'content-disposition']) {
    const value = parameters.get(`response-${name}`)
    if (value !== null) response.setHeader(name, value)
  }
  const isPart = blob !== undefined && bytes !== undefined && bytes.length < blob.length
  if (isPart) response.setHeader('content-range', `bytes ${start}-${start + bytes.length - 1}/${blob.length}`)
  const found = isPart ? 206 : 200
  response.writeHead(blob ? found : 404, { 'content-length': bytes?.length ?? 0 })
  response.end(request.method === 'HEAD' ? '' : bytes)
}

function byNumber(one: number, other: number): number {
  return one - other
}
