import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncodings, compress } from '../http/compression.ts'
import { type Html, html, scriptData } from '../pages/html.ts'
import type { Assets } from './built-pages.ts'
import { type Brand, frameOf, mainOf } from './markup/frame.ts'
import { type Locale, languageNames } from './visitor-language.ts'
import { themePath } from './visitor-theme.ts'

/** A page of visitors: a form of a project, a receipt, or why there is none. */
export interface VisitorPage {
  locale: Locale
  title: string
  body: Html
  /** Null where nothing was built yet. Without a script where a page has nothing to enhance. */
  assets: (Omit<Assets, 'script'> & { script: string | null }) | null
  /** Whose page it is; null if nobody knows. */
  project: (Brand & { color: string | null }) | null
  /** What the script needs, as JSON. */
  data?: object
  status?: number
  /** May be used again after the way back, or not even kept: what has a token of one person. */
  cache?: 'no-cache' | 'no-store'
  /** In place of those of all pages. */
  headers?: Readonly<Record<string, string>>
}

/** Sends a page that any site may frame. It reads and sets no cookie. */
export async function sendVisitorPage(request: FastifyRequest, reply: FastifyReply, page: VisitorPage): Promise<FastifyReply> {
  const { status = 200, cache = 'no-store' } = page
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({ ...visitorHeaders, ...page.headers, 'cache-control': cache, vary: 'Accept-Encoding, Accept-Language' })
  const text = documentOf(page, request).text
  // What has a token beside what was typed is sent as it is: its compressed size would tell of both (BREACH).
  if (cache === 'no-store' || !acceptedEncodings(request.headers['accept-encoding']).has('gzip')) return reply.send(text)
  return reply.header('content-encoding', 'gzip').send(await compress(text))
}

/** Returns the address of a page in the form that it was opened in: in the same language, inside a frame or not. */
export function sameView({ query }: FastifyRequest, path: string, changes: { lang?: string } = {}): string {
  const given = query as Record<string, unknown> // Of any route.
  const kept = Object.entries({ ...given, ...changes }).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' && name !== 'embed' ? [[name, value] as const] : [],
  )
  const text = String(new URLSearchParams(Object.fromEntries(kept)))
  const parts = [...(text === '' ? [] : [text]), ...(isEmbedded(given) ? ['embed'] : [])]
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`
}

/** Whether a page is shown inside another one: `?embed`, whatever its value. */
export function isEmbedded(query: Record<string, unknown>): boolean {
  return query.embed !== undefined
}

/** What `?theme=` fixes; without it, the system of the visitor decides. */
const THEMES = ['light', 'dark'] as const

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "form-action 'self'",
  "base-uri 'none'",
  // Any website may show the form: without a cookie or a session, a page that is framed can be made to do nothing in anybody's name.
  'frame-ancestors *',
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const visitorHeaders = {
  'content-security-policy': contentSecurityPolicy,
  // The address of a form may name who was invited, and that of a withdrawal has a token.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  'permissions-policy': 'camera=(self), microphone=(self), geolocation=()',
}

function documentOf({ locale, title, body, assets, project, data }: VisitorPage, request: FastifyRequest): Html {
  const { language, direction } = locale
  const color = project?.color ?? null
  const query = request.query as Record<string, unknown> // Of any route.
  const isFramed = isEmbedded(query)
  const theme = THEMES.find((name) => name === query.theme)
  return html`<!doctype html>
<html lang="${language}" dir="${direction}"${theme !== undefined && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${assets?.styles.map((address) => html`<link rel="stylesheet" href="${address}">`)}
${color !== null && html`<link rel="stylesheet" href="${themePath(color)}">`}
${assets?.imports.map((address) => html`<link rel="modulepreload" href="${address}">`)}
${assets !== null && assets.script !== null && html`<script type="module" src="${assets.script}"></script>`}
</head>
<body class="visit${isFramed && ' embed'}">
${isFramed ? mainOf(body) : frameOf({ locale, project, body, switcher: switcherOf(locale, request) })}
${data !== undefined && html`<script type="application/json" id="data">${scriptData(data)}</script>`}
</body>
</html>
`
}

/** Only what was asked for can be asked for again, in another language. */
function switcherOf({ language, messages }: Locale, request: FastifyRequest): Html | false {
  const path = request.url.split('?', 1)[0] ?? ''
  const own = Object.entries(languageNames).find(([code]) => code === language)?.[1]
  const links = Object.entries(languageNames).map(
    ([code, name]) =>
      html`<li><a href="${sameView(request, path, { lang: code })}" lang="${code}" hreflang="${code}"${code === language && html` aria-current="true"`}>${name}</a></li>`,
  )
  const switcher = html`<details class="languages"><summary><span class="sr">${messages.page.language}: </span>${own}</summary><ul>${links}</ul></details>`
  return request.method === 'GET' && switcher
}
