import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

/** Another site, with what it was asked and how many bytes it could send. */
export interface ImageSite {
  url: string
  requests: { path: string; headers: IncomingHttpHeaders }[]
  sentBytes: () => number
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a site on this machine, which answers each path as its handler does, and others with 404. */
export async function startImageSite(pages: Record<string, RequestListener>): Promise<ImageSite> {
  const requests: ImageSite['requests'] = []
  let sentBytes = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers })
    const page = pages[path]
    if (page) page(request, response)
    else response.writeHead(404).end()
  })
  server.on('connection', (socket) => socket.on('close', () => (sentBytes += socket.bytesWritten)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sentBytes: () => sentBytes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers with a file. */
export function file(type: string, bytes: string | Buffer): RequestListener {
  return (_request, response) => response.writeHead(200, { 'content-type': type, 'set-cookie': 'seen=1' }).end(bytes)
}

/** Answers with another address. */
export function redirect(location: string): RequestListener {
  return (_request, response) => response.writeHead(302, { location }).end('moved')
}

/** Draws a PNG of one colour. Its header can say that it is larger than it is. */
export function drawPng(width: number, height: number, { claims = { width, height } } = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(claims.width, 0)
  header.writeUInt32BE(claims.height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from([40, 90, 200]))])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const note = Buffer.from('Comment\0taken at 52.5200, 13.4050')
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...[chunk('IHDR', header), chunk('tEXt', note), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))],
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const named = Buffer.concat([Buffer.from(type), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
