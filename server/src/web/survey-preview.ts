import type { FastifyInstance } from 'fastify'
import { html } from '../pages/html.ts'
import { sendVisitorPage } from './visitor-layout.ts'
import type { VisitorPageOptions } from './visitor-options.ts'

const PATH = '/s/preview'
const ENTRY = 'survey-preview/main.ts'
const ENTRY_OF_VISITORS = 'visitor/survey.ts'

/** Only the dashboard shows it. Its script makes the form from what the dashboard tells it, by the functions that make the page of a survey. */
const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types earshot-preview',
  ].join('; '),
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** Registers the page in which the dashboard previews a survey, also one that is not stored. It has the texts of a language, and no survey. */
export function registerSurveyPreview(scope: FastifyInstance, { locales, pages }: VisitorPageOptions): void {
  scope.get(PATH, async (request, reply) => {
    const locale = await locales.choose(request)
    // The styles are the very files of visitors, in their order.
    const [{ script, imports }, { styles }] = await Promise.all([
      pages.assets('preview', ENTRY),
      pages.assets('visitor', ENTRY_OF_VISITORS),
    ])
    const assets = { script, imports, styles }
    return sendVisitorPage(request, reply, {
      locale,
      title: 'Preview',
      body: html``,
      assets,
      project: null,
      data: locale,
      cache: 'no-cache',
      headers,
    })
  })
}
