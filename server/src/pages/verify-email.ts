import { ApiError } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import { confirmAddress } from '../accounts.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { sendDeadLink } from './mailbox.ts'
import { countGuest, type PageOptions, requireOwnPage } from './page-request.ts'
import { SIGN_IN_PATH } from './paths.ts'

const VERIFY_EMAIL_PATH = '/accounts/verify-email/'

/** The page behind the link that confirms an address. Mail scanners follow links, so only its button confirms. */
export function registerVerifyEmail(scope: FastifyInstance, options: PageOptions): void {
  scope.get(VERIFY_EMAIL_PATH, async (request, reply) => {
    const { token } = request.query as { token?: unknown }
    return sendPage(reply, {
      title: 'Confirm your e-mail address',
      body: html`<p>Did you sign up for Earshot? Then confirm your address.</p>
<form method="post" action="${VERIFY_EMAIL_PATH}">
<input type="hidden" name="token" value="${typeof token === 'string' && token}">
<div class="actions"><button>Confirm address</button></div>
</form>`,
    })
  })

  scope.post(VERIFY_EMAIL_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const { token = '' } = formOf(request)
    try {
      await confirmAddress({ tx: options.database, services: options.services }, { token })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      const next = html`<a href="${SIGN_IN_PATH}">Sign in</a>. If your address is not confirmed yet, we send you a new link.`
      return sendDeadLink(reply, { text: error.message, next })
    }
    return sendPage(reply, {
      title: 'Welcome to Earshot',
      body: html`<p class="good">Your address is confirmed.</p><p><a href="${SIGN_IN_PATH}">Sign in</a></p>`,
    })
  })
}
