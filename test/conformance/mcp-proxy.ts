import { createServer, request as forward, type Server } from 'node:http'

/** Starts a proxy before a service that adds the credential to requests of `/mcp`: the suite has no way to send one. */
export async function startProxy(port: number, { url, token }: { url: string; token: string }): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '/', headers } = incoming
    const own = path.startsWith('/mcp') ? { authorization: `Bearer ${token}` } : {}
    const passed = forward(url + path, { method, headers: { ...own, ...headers } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}
