import type { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from '../http/failure.ts'
import { html } from '../pages/html.ts'
import type { BuiltPages } from './built-pages.ts'
import { count, fill, type Locale, type Locales } from './visitor-language.ts'
import { sendVisitorPage } from './visitor-layout.ts'

const MINUTE_SECONDS = 60
/** These look alike, so that nobody learns whether a record existed. */
const MISSING: readonly number[] = [401, 404, 410]
/** The mark of the service, without a sound. */
const WAVE = Array.from({ length: 7 }, () => html`<i></i>`)

/** Says to a visitor why nothing was sent, and what they can do. Never says what only the team should know. */
export function failureText(error: ApiError, locale: Locale, project: string): string {
  const { messages } = locale
  const { code, status, retryAfterSeconds = MINUTE_SECONDS } = error
  if (status === 429) return count(locale, messages.error.limited, Math.ceil(retryAfterSeconds / MINUTE_SECONDS))
  if (status === 402) return fill(messages.error.quota, { project })
  if (code === 'not_found') return messages.error.gone
  if (code === 'body_too_large') return messages.error.tooLarge
  if (code === 'validation_error') return messages.error.fields
  return messages.error.unavailable
}

interface FailurePages {
  pages: BuiltPages
  locales: Locales
  /** Which text says that nothing is here. */
  missing: 'missing' | 'missingWidget'
}

/** Shows failures in this scope as a page, where no form can show them. */
export function registerFailurePage(scope: FastifyInstance, options: FailurePages): void {
  scope.setErrorHandler(async (error, request, reply) => sendFailurePage(request, reply, { ...options, error }))
}

/** Shows a failure as a page, in the language of the visitor. */
export async function sendFailurePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { pages, locales, missing, error }: FailurePages & { error: unknown },
): Promise<FastifyReply> {
  const failure = toApiError(error, request.routeOptions.bodyLimit)
  if (failure.status === 500) request.log.error({ err: error }, 'request failed')
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds)
  const locale = await locales.choose(request)
  const { page } = locale.messages
  const isMissing = MISSING.includes(failure.status)
  const title = isMissing ? page.missingTitle : titleOf(failure, locale)
  // Before the first build ends, the words must do without a style.
  const assets = await pages.assets('visitor', 'visitor/collection.ts').catch(() => null)
  const text = isMissing ? page[missing] : failureText(failure, locale, '')
  const body = html`<section class="card said"><div class="wave silent" aria-hidden="true">${WAVE}</div>
<h1>${title}</h1><p>${text}</p>${failure.status >= 500 && html`<p class="fine">${fill(page.reference, { id: request.id })}</p>`}</section>`
  return sendVisitorPage(request, reply, {
    locale,
    title,
    body,
    assets: assets && { ...assets, script: null },
    project: null,
    status: failure.status,
  })
}

function titleOf({ status }: ApiError, { messages: { page } }: Locale): string {
  return status === 429 ? page.limitedTitle : page.failedTitle
}
