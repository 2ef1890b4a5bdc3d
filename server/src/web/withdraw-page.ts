import { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formOf } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { sendVisitorPage, type VisitorPage } from './visitor-layout.ts'
import type { VisitorPageOptions } from './visitor-options.ts'

const PATH = '/c/withdraw'

/** How a page looks that leads to this one. */
interface View {
  /** Public key of the project. */
  key: string
  /** What the address of the page says; absent for what the browser of the visitor decides. */
  lang?: string
  theme?: string
}

/** Returns the address at which the holder of a token withdraws consent, in the look and the language of the page that has the link. */
export function withdrawPath(token: string, { key, lang, theme }: View): string {
  const query = { ...(token !== '' && { token }), ...(key !== '' && { key }), ...(lang && { lang }), ...(theme && { theme }) }
  return `${PATH}?${new URLSearchParams(query)}`
}

/** Returns the look of a request's page, for links to this one. */
export function viewOf({ query }: FastifyRequest, key: string): View {
  const { lang, theme } = query as Record<string, unknown> // Of any route.
  return { key, ...(typeof lang === 'string' && { lang }), ...(typeof theme === 'string' && { theme }) }
}

/**
 * The page that withdraws consent. Programs that look at links open it, so only its form does it. The token is in the address, because
 * the link must work without script; the page sends no referrer, and changes nothing before its button is pressed. With
 * the key of a project in the address it reads the name and the look of that project; without, it reads nothing.
 */
export function registerWithdraw(scope: FastifyInstance, { locales, pages, call }: VisitorPageOptions): void {
  const assets = async () => ({ ...(await pages.assets('visitor', 'visitor/collection.ts')), script: null })

  /** Whose page it is, as far as the address tells: it works without. */
  async function projectOf(request: FastifyRequest, reply: FastifyReply): Promise<VisitorPage['project']> {
    const path = { public_key: keyOf(request) }
    if (path.public_key === '') return null
    return call('public.projects.retrieve', { request, reply, input: path, path }).then(
      ({ output: { name, theme } }) => ({ name, color: theme.color, logoUrl: theme.logo_url }),
      () => null,
    )
  }

  scope.get(PATH, async (request, reply) => {
    const locale = await locales.choose(request)
    const { withdraw } = locale.messages
    const token = tokenOf(request)
    if (token === '') throw new ApiError('not_found')
    const action = withdrawPath('', { ...viewOf(request, keyOf(request)), lang: locale.language })
    const body = html`<form class="card said" method="post" action="${action}">
<h1>${withdraw.title}</h1>
<p>${withdraw.text}</p>
<input type="hidden" name="token" value="${token}">
<button class="go">${withdraw.button}</button>
</form>`
    const project = await projectOf(request, reply)
    return sendVisitorPage(request, reply, { locale, title: withdraw.title, body, assets: await assets(), project })
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
    const project = await projectOf(request, reply)
    return sendVisitorPage(request, reply, { locale, title, body, assets: await assets(), project, status: isFound ? 200 : 404 })
  })
}

function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown } // Of this route.
  return formOf(request).token ?? (typeof token === 'string' ? token : '')
}

function keyOf({ query }: FastifyRequest): string {
  const { key } = query as { key?: unknown } // Of this route.
  return typeof key === 'string' ? key : ''
}
