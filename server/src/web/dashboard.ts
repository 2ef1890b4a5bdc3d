import type { FastifyInstance } from 'fastify'
import { represent, sendRepresentation } from '../http/representation.ts'
import { html } from '../pages/html.ts'
import { pageHeaders } from '../pages/layout.ts'
import type { PageOptions } from '../pages/page-request.ts'
import { redirectToSignIn } from '../pages/sign-in.ts'
import type { Assets, BuiltPages } from './built-pages.ts'

const DASHBOARD_PATHS = ['/app/', '/app/*']

interface DashboardOptions extends PageOptions {
  pages: BuiltPages
  /** Where the store serves videos itself, beside this service. */
  mediaOrigin: string | null
}

/** Serves the dashboard: one document for all of its addresses, which a script of ours fills through the API. */
export function registerDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const { pages, baseUrl, services, mediaOrigin } = options
  const headers = { ...pageHeaders(), 'content-security-policy': contentSecurityPolicy(mediaOrigin) }

  for (const path of DASHBOARD_PATHS)
    app.get(path, async (request, reply) => {
      // Whether the session is still good is asked of the API, by the page.
      if (services.sessions.read(request.headers.cookie) === null) return redirectToSignIn(reply, request.url)
      const document = represent('text/html; charset=utf-8', documentOf(await pages.assets('dashboard'), baseUrl))
      return sendRepresentation(request, reply.headers(headers), document)
    })
}

function documentOf({ script, styles, imports }: Assets, baseUrl: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="earshot-base-url" content="${baseUrl}">
<title>Earshot</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${styles.map((address) => html`<link rel="stylesheet" href="${address}">`)}
${imports.map((address) => html`<link rel="modulepreload" href="${address}">`)}
<script type="module" src="${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>The dashboard needs JavaScript. <a href="/accounts/">Your account</a> works without.</p></noscript>
</body>
</html>
`.text
}

/** Scripts and styles of this service alone, and no HTML from strings (Trusted Types). Videos may come from the store. */
function contentSecurityPolicy(mediaOrigin: string | null): string {
  const media = mediaOrigin === null ? '' : ` ${mediaOrigin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data: blob:${media}`,
    `media-src 'self' blob:${media}`,
    "font-src 'self'",
    // The preview of a widget or a form.
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
