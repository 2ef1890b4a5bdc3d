import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page of somebody's website. */
interface HostPage {
  body: string
  heading?: string
  head?: string
  style?: string
  attributes?: string
  /** The sources of the policy; everything else is forbidden. */
  policy?: string
}

export interface EmbedHost extends Disposable {
  origin: string
  /** Serves a page, and returns its address. */
  show: (page: HostPage, path?: string) => string
}

/** Opens a website of this machine, on another origin than the service. */
export async function openHost(): Promise<EmbedHost> {
  const pages = new Map<string, HostPage>()
  const server = createServer((request, response) => {
    const page = pages.get((request.url ?? '').split('?', 1)[0] ?? '')
    // Browsers ask for an icon by themselves.
    if (!page) return response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (page.policy !== undefined) response.setHeader('content-security-policy', page.policy)
    return response.end(documentOf(page))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // It listens on a port.
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    show(page, path = `/${pages.size}`) {
      pages.set(path, page)
      return origin + path
    },
    [Symbol.dispose]: () => server.close(),
  }
}

function documentOf({ body, heading = 'Teams that stopped guessing', head = '', style, attributes = 'lang="en"' }: HostPage): string {
  return `<!doctype html>
<html ${attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A customer's site</title>
${style === undefined ? '' : `<style>${style}</style>`}
${head}
</head>
<body>
<main><h1>${heading}</h1>
${body}
</main>
</body>
</html>`
}
