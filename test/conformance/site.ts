import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A site of this machine with one empty page: another origin than the service, and a secure context. */
export async function openSite(): Promise<{ origin: string } & Disposable> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>'),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // It listens on a port.
    [Symbol.dispose]: () => server.close(),
  }
}
