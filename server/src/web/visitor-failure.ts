import type { ApiError } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import { toApiError } from '../http/failure.ts'
import { html } from '../pages/html.ts'
import type { BuiltPages } from './built-pages.ts'
import { count, fill, type Locale, type Locales } from './visitor-language.ts'
import { sendVisitorPage } from './visitor-layout.ts'

const MINUTE_SECONDS = 60

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

/** Shows failures in this scope as a page, where no form can show them. */
export function registerFailurePage(scope: FastifyInstance, { pages, locales }: { pages: BuiltPages; locales: Locales }): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const failure = toApiError(error, request.routeOptions.bodyLimit)
    if (failure.status === 500) request.log.error({ err: error }, 'request failed')
    if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds)
    const locale = await locales.choose(request)
    const { page } = locale.messages
    const isMissing = failure.status === 404 || failure.status === 401
    const title = isMissing ? page.missingTitle : titleOf(failure, locale)
    // Before the first build ends, the words must do without a style.
    const assets = await pages.assets('visitor', 'visitor/collection.ts').catch(() => null)
    const text = isMissing ? page.missing : failureText(failure, locale, '')
    const body = html`<section class="card said"><h1>${title}</h1><p>${text}</p><p class="fine">${request.id}</p></section>`
    return sendVisitorPage(request, reply, {
      locale,
      title,
      body,
      assets: assets && { ...assets, script: null },
      project: null,
      status: failure.status,
    })
  })
}

function titleOf({ status }: ApiError, { messages: { page } }: Locale): string {
  return status === 429 ? page.limitedTitle : page.failedTitle
}
