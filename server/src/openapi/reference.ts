import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { type Representation, represent, sendRepresentation } from '../http/representation.ts'
import { chooseFormat, formatsOf } from './formats.ts'
import { type Page, pagesOf } from './pages.ts'

const SCHEMA_PATH = '/api/schema/'

interface ReferenceOptions {
  /** Builds the OpenAPI document. Called on first use. */
  document: () => Promise<object>
}

/** Serves the OpenAPI document (JSON, or YAML by `Accept` and `?format=yaml`) and the pages that render it. */
export async function registerReference(app: FastifyInstance, { document }: ReferenceOptions): Promise<void> {
  const formats = formatsOf(document)
  getBoth(app, SCHEMA_PATH, async (request, reply) => {
    const { format } = request.query as { format?: unknown }
    reply.header('vary', 'Accept')
    return sendRepresentation(request, reply, await formats[chooseFormat(format, request.headers.accept)]())
  })
  for (const page of pagesOf(SCHEMA_PATH)) registerPage(app, page)
}

function registerPage(app: FastifyInstance, { path, html, contentSecurityPolicy, files }: Page): void {
  const page = represent('text/html; charset=utf-8', html)
  getBoth(app, path, async (request, reply) => {
    reply.headers({ 'content-security-policy': contentSecurityPolicy, 'referrer-policy': 'same-origin' })
    return sendRepresentation(request, reply, page)
  })
  for (const file of files) {
    let read: Promise<Representation> | undefined
    app.get(`${path}${file.path}`, async (request, reply) => {
      read ??= file.read().then((body) => represent(file.contentType, body))
      return sendRepresentation(request, reply, await read)
    })
  }
}

/** Registers a path with and without its trailing slash, unless the router ignores the slash. */
function getBoth(app: FastifyInstance, path: string, handler: RouteHandlerMethod): void {
  app.get(path, handler)
  const bare = path.slice(0, -1)
  if (!app.hasRoute({ method: 'GET', url: bare })) app.get(bare, handler)
}
