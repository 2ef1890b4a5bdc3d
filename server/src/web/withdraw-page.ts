import { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { formOf } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { sendVisitorPage } from './visitor-layout.ts'
import type { VisitorPageOptions } from './visitor-options.ts'

const PATH = '/c/withdraw'

/** Returns the address at which the holder of a token withdraws consent. */
export function withdrawPath(token: string): string {
  return `${PATH}?${new URLSearchParams({ token })}`
}

/**
 * The page that withdraws consent. Programs that look at links open it, so only its form does it. The token is in the address, because
 * the link must work without script; the page sends no referrer, and asks nothing of the service before its button is pressed.
 */
export function registerWithdraw(scope: FastifyInstance, { locales, pages, call }: VisitorPageOptions): void {
  const assets = async () => ({ ...(await pages.assets('visitor', 'visitor/collection.ts')), script: null })

  scope.get(PATH, async (request, reply) => {
    const locale = await locales.choose(request)
    const { withdraw } = locale.messages
    const token = tokenOf(request)
    if (token === '') throw new ApiError('not_found')
    const body = html`<form class="card said" method="post" action="${PATH}?lang=${locale.language}">
<h1>${withdraw.title}</h1>
<p>${withdraw.text}</p>
<input type="hidden" name="token" value="${token}">
<button class="go">${withdraw.button}</button>
</form>`
    return sendVisitorPage(request, reply, { locale, title: withdraw.title, body, assets: await assets(), project: null })
  })

  scope.post(PATH, async (request, reply) => {
    const locale = await locales.choose(request)
    const { withdraw } = locale.messages
    const { isFound } = await call('public.consent.revoke', { request, reply, input: { revoke_token: tokenOf(request) } }).then(
      () => ({ isFound: true }),
      (error: unknown) => {
        if (error instanceof ApiError && ['not_found', 'validation_error'].includes(error.code)) return { isFound: false }
        throw error
      },
    )
    const title = isFound ? withdraw.doneTitle : withdraw.deadTitle
    const body = html`<section class="card said"><h1>${title}</h1><p>${isFound ? withdraw.done : withdraw.dead}</p></section>`
    return sendVisitorPage(request, reply, { locale, title, body, assets: await assets(), project: null, status: isFound ? 200 : 404 })
  })
}

function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown } // Of this route.
  return formOf(request).token ?? (typeof token === 'string' ? token : '')
}
