import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'
import { navigation, type Place } from './navigation.ts'
import { SIGN_OUT_PATH, START_PATH } from './paths.ts'
import { type Theme, themeAttribute, themeOf } from './theme.ts'

export const STYLE_PATH = '/accounts/page.css'

/** A page's title and content. */
export interface Page {
  title: string
  body: Html
  /** The account that is signed in, shown with a button to sign out. */
  account?: { email: string } | null
  /** Where the page is in the account's navigation; absent on pages beside it, such as the consent page. */
  place?: Place
  status?: number
  /** Another target that a form of the page may redirect to: the origin, or the scheme, of an OAuth client. */
  formTarget?: string
}

/** Sends a page that cannot be framed, loads only its style, and is never cached. */
export function sendPage(reply: FastifyReply, { status = 200, formTarget, ...page }: Page): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({ ...pageHeaders(formTarget), 'cache-control': 'no-store' })
    .send(pageOf({ ...page, theme: themeOf(reply.request.headers.cookie) }).text)
}

/** Returns the headers of a page that cannot be framed and loads only its style. */
export function pageHeaders(formTarget?: string): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(formTarget),
    // Under `no-referrer` a form's Origin would be `null`, and our own pages could not be recognized.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
}

type WholePage = Pick<Page, 'title' | 'body' | 'account' | 'place'> & { theme?: Theme }

/** Returns a whole page. */
export function pageOf({ title, body, account = null, place, theme = null }: WholePage): Html {
  return html`<!doctype html>
<html lang="en"${themeAttribute(theme)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<meta name="robots" content="noindex">
<title>${title} · Earshot</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body${place && html` class="account"`}>
${place && html`<a class="skip" href="#main">Skip to the content</a>\n`}<header>${place ? html`<a class="brand" href="${START_PATH}">Earshot</a>\n${navigation(place)}` : html`<strong class="brand">Earshot</strong>`}${account && accountOf(account)}</header>
<main${place && html` id="main" tabindex="-1"`}>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
}

function accountOf({ email }: { email: string }): Html {
  return html`<form method="post" action="${SIGN_OUT_PATH}"><span>${email}</span> <button class="link">Sign out</button></form>`
}

/** `form-action` applies to the redirect after a form, too (CSP 3 §6.4.2). */
function contentSecurityPolicy(formTarget: string | undefined): string {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return policy.join('; ')
}
