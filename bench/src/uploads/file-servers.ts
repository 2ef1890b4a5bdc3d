import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'
import fastify from 'fastify'
import { handleRequests } from '../child-process.ts'

/**
 * What uploads and playback are compared with: a Fastify route that pipes a body into a file, @tus/server with its own file store, and a
 * file server that knows ranges. None of them knows a token, a team or a plan.
 */
const directory = mkdtempSync(join(tmpdir(), 'earshot-bench-files-'))
const close: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]

handleRequests<{ kind: 'pipe' } | { kind: 'tus' } | { kind: 'files'; path: string }>(
  async (message) => {
    if (message.kind === 'pipe') return { url: await servePipe() }
    if (message.kind === 'tus') return { url: await serveTus() }
    return { url: await serveFile(message.path) }
  },
  async () => {
    for (const end of close.toReversed()) await end()
  },
)

async function servePipe(): Promise<string> {
  const app = fastify()
  app.addContentTypeParser('*', async () => undefined)
  app.patch('/uploads/', async (request, reply) => {
    await pipeline(request.raw, createWriteStream(join(directory, randomUUID())))
    return reply.code(204).send()
  })
  close.push(() => app.close())
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/uploads/`
}

async function serveTus(): Promise<string> {
  const tus = new Server({ path: '/uploads', datastore: new FileStore({ directory }) })
  const server = createServer((request, response) => void tus.handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/uploads`
}

async function serveFile(path: string): Promise<string> {
  const { size } = statSync(path)
  const server = createServer((request, response) => {
    const [, start = '0', end = String(size - 1)] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const last = Math.min(size - 1, Number(end || size - 1))
    response.writeHead(206, {
      'content-type': 'video/mp4',
      'content-length': last - Number(start) + 1,
      'content-range': `bytes ${start}-${last}/${size}`,
    })
    pipeline(createReadStream(path, { start: Number(start), end: last }), response).catch(() => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
