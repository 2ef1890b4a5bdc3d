import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from '../http/once.ts'
import type { Pipeline } from '../http/pipeline.ts'
import { represent, sendCompressed, sendRepresentation } from '../http/representation.ts'
import { html, scriptData } from '../pages/html.ts'
import type { BuiltPages } from './built-pages.ts'
import { sendFailurePage } from './visitor-failure.ts'
import { openLocales } from './visitor-language.ts'
import { isEmbedded } from './visitor-layout.ts'
import { callPublicOperations } from './visitor-operations.ts'
import { cardOf, pathOf, summaryOf, type Widget } from './widget-card.ts'
import { openWidgetWords, type WidgetWords } from './widget-words.ts'

const STYLE_PATH = '/w/widget.css'
const STYLES = ['styles/tokens.css', 'embed/card.css', 'styles/widget.css']
const THEME_FILE = /^[0-9a-f]{6}\.css$/i
const DESCRIPTION_CHARACTERS = 200

interface WidgetPageOptions {
  pages: BuiltPages
  pipelines: readonly Pipeline[]
  baseUrl: string
  /** Where the store serves videos itself, beside this service. */
  mediaOrigin: string | null
}

/**
 * Serves each widget as a page without script, for search engines, frames and visitors without script. It reads what the API reads,
 * through the same steps, so limits and refusals are the same. No build is needed.
 */
export function registerWidgetPage(app: FastifyInstance, options: WidgetPageOptions): void {
  const { pages, baseUrl } = options
  const call = callPublicOperations(options.pipelines, baseUrl)
  const wordsFor = openWidgetWords(pages.sources)
  const locales = openLocales(pages.sources)
  const headers = headersOf(options)
  registerStyles(app, pages.sources)

  const errorHandler = async (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendFailurePage(request, reply, { pages, locales, missing: 'missingWidget', error })

  app.get<{ Params: { widget_id: string }; Querystring: { lang?: unknown; embed?: unknown } }>('/w/:widget_id', {
    handler: async (request, reply) => {
      const { output: widget } = await call('public.widgets.retrieve', { request, reply, input: request.params })
      const words = await wordsFor(request.query.lang, request.headers['accept-language'])
      const address = `${baseUrl}/w/${widget.id}`
      const document = documentOf(widget, words, { address, home: baseUrl, isFrame: isEmbedded(request.query) })
      return sendCompressed(request, reply.headers(headers), represent('text/html; charset=utf-8', document))
    },
    errorHandler,
  })
  for (const path of ['/w', '/w/*'])
    app.get(path, {
      handler: () => {
        throw new ApiError('not_found')
      },
      errorHandler,
    })
}

/** The colours and sizes of all pages, the cards of the elements, and what this page adds. A widget's colour has a style of its own. */
function registerStyles(app: FastifyInstance, sources: string): void {
  const style = once(async () => {
    const texts = await Promise.all(STYLES.map((name) => readFile(join(sources, name), 'utf8')))
    return represent('text/css; charset=utf-8', texts.join('\n'))
  })
  app.get(STYLE_PATH, async (request, reply) => sendRepresentation(request, reply, await style()))
  app.get<{ Params: { file: string } }>('/w/theme/:file', async (request, reply) => {
    const { file } = request.params
    if (!THEME_FILE.test(file)) throw new ApiError('not_found')
    return sendRepresentation(request, reply, represent('text/css; charset=utf-8', `:root { --brand: #${file.slice(0, 6)}; }\n`))
  })
}

/** No script runs: JSON-LD is data. Any site may show the page in a frame, as it may show the elements. */
function headersOf({ mediaOrigin }: WidgetPageOptions): Record<string, string> {
  const media = mediaOrigin === null ? '' : ` ${mediaOrigin}`
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self'${media}`,
    `media-src 'self'${media}`,
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-resource-policy': 'cross-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'referrer-policy': 'no-referrer',
    vary: 'accept-language',
    'x-content-type-options': 'nosniff',
  }
}

interface Place {
  address: string
  home: string
  /** Whether the page is shown inside another one, which has a heading of its own. */
  isFrame: boolean
}

function documentOf(widget: Widget, words: WidgetWords, { address, home, isFrame }: Place): string {
  const { json_ld, aggregate, items, theme, logo_url } = widget
  const title = `${json_ld.name}: ${words.list}`
  const color = theme.color?.slice(1)
  return html`<!doctype html>
<html lang="${words.language}" dir="${words.language === 'ar' ? 'rtl' : 'ltr'}"${theme.mode !== 'auto' && html` data-theme="${theme.mode}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme.mode === 'auto' ? 'light dark' : theme.mode}">
<title>${title}</title>
<meta name="description" content="${descriptionOf(widget)}">
<link rel="canonical" href="${address}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${descriptionOf(widget)}">
<meta property="og:url" content="${address}">
<meta name="twitter:card" content="summary">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
${color && html`<link rel="stylesheet" href="/w/theme/${color}.css">`}
<script type="application/ld+json">${scriptData(json_ld)}</script>
</head>
<body class="${isFrame ? 'earshot frame' : 'earshot'}">
<main>
<header class="top">
${logo_url !== null && html`<img class="logo" src="${pathOf(logo_url)}" alt="" decoding="async">`}
<h1 class="said" dir="auto">${json_ld.name}</h1>
${summaryOf(aggregate, words)}
</header>
${items.length > 0 && html`<ul class="items" role="list" aria-label="${words.list}">\n${items.map((item) => cardOf(item, words))}</ul>`}
${widget.has_badge && html`<p class="by"><a href="${home}/" target="_blank" rel="noopener">${words.by}</a></p>`}
</main>
</body>
</html>
`.text
}

/** What a search engine may show below the title: the first words that somebody said. */
function descriptionOf({ items: [first], json_ld }: Widget): string {
  if (!first) return json_ld.name
  return Array.from(`“${first.excerpt ?? first.body}” ${first.author.name}`)
    .slice(0, DESCRIPTION_CHARACTERS)
    .join('')
}
