import { ApiError, type OperationTree } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from '../http/once.ts'
import { type Representation, represent, sendRepresentation } from '../http/representation.ts'
import { pageHeaders, pageOf } from '../pages/layout.ts'
import type { ErrorPage } from './error-pages.ts'

const MARKDOWN = 'text/markdown; charset=utf-8'

interface DocsOptions {
  contracts: OperationTree
  /** The service's URL, without a trailing slash. */
  baseUrl: string
}

/** An error page in both formats. */
interface Formats {
  markdown: Representation
  html: Representation
}

/**
 * Serves the documentation: `/llms.txt`, the guides as Markdown, and a page for each error code, as HTML and as Markdown. Names are looked
 * up in lists, so no request reaches a file. The lists are made when somebody asks for them.
 */
export function registerDocs(app: FastifyInstance, options: DocsOptions): void {
  const guides = once(() => loadGuides(options))
  const errors = once(() => loadErrors(options))

  app.get('/llms.txt', async (request, reply) => sendRepresentation(request, reply, (await guides()).llms))
  app.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) =>
    sendRepresentation(request, reply, found((await guides()).byFile.get(request.params.file))),
  )
  app.get('/docs/errors/', async (request, reply) => sendErrorPage(request, reply, found((await errors()).get('index'))))
  app.get<{ Params: { file: string } }>('/docs/errors/:file', async (request, reply) => {
    const { file } = request.params
    if (!file.endsWith('.md')) return sendErrorPage(request, reply, found((await errors()).get(file)))
    return sendRepresentation(request, reply, found((await errors()).get(file.slice(0, -'.md'.length))).markdown)
  })
}

async function loadGuides({ baseUrl }: DocsOptions) {
  const [{ readGuides }, { llmsText }] = await Promise.all([import('./guides.ts'), import('./llms.ts')])
  const texts = await readGuides(baseUrl)
  return {
    llms: represent(MARKDOWN, llmsText(texts, baseUrl)),
    byFile: new Map(texts.map(({ name, text }) => [`${name}.md`, represent(MARKDOWN, text)])),
  }
}

async function loadErrors({ contracts }: DocsOptions): Promise<ReadonlyMap<string, Formats>> {
  const { errorIndex, errorPages } = await import('./error-pages.ts')
  const pages: [string, ErrorPage][] = [['index', errorIndex()], ...errorPages(contracts)]
  return new Map(pages.map(([name, page]) => [name, formatsOf(page)]))
}

function formatsOf({ title, markdown, body }: ErrorPage): Formats {
  return { markdown: represent(MARKDOWN, markdown), html: represent('text/html; charset=utf-8', pageOf({ title, body }).text) }
}

/** Sends HTML to browsers, which name it without a weight, and Markdown to whoever does not ask for HTML. */
function sendErrorPage(request: FastifyRequest, reply: FastifyReply, { html, markdown }: Formats): FastifyReply {
  const isBrowser = /\btext\/html\s*(,|$)/.test(request.headers.accept ?? '')
  reply.header('vary', 'Accept')
  if (isBrowser) reply.headers(pageHeaders())
  return sendRepresentation(request, reply, isBrowser ? html : markdown)
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('not_found')
  return value
}
