import { ApiError, contracts } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { confirmAddress } from '../accounts.ts'
import { compileInput } from '../http/input.ts'
import { newPasswordField, type Problems, problemsOf, statusOf } from './fields.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { sendDeadLink } from './mailbox.ts'
import { countGuest, deviceOf, type PageOptions, requireOwnPage } from './page-request.ts'
import { PASSWORD_RESET_PATH, SIGN_IN_PATH } from './paths.ts'

const VERIFY_EMAIL_PATH = '/accounts/verify-email/'

const readInput = compileInput(contracts.auth.verifyEmail.input, new Set())

/**
 * The page behind the link that confirms an address. Mail scanners follow links, so only its form confirms. The reader of
 * the mail chooses the password there, so that nobody owns an account that somebody else chose the password of.
 */
export function registerVerifyEmail(scope: FastifyInstance, options: PageOptions): void {
  scope.get(VERIFY_EMAIL_PATH, async (request, reply) => {
    const { token } = request.query as { token?: unknown }
    return sendForm(reply, { token: typeof token === 'string' ? token : '', problems: null })
  })

  scope.post(VERIFY_EMAIL_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const form = formOf(request)
    try {
      const { token, password } = readInput(form) as { token: string; password: string }
      const { database: tx, services } = options
      await confirmAddress({ tx, services, device: deviceOf(request, reply, options) }, { token, password })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        return sendDeadLink(reply, { text: error.message, next: html`<a href="${PASSWORD_RESET_PATH}">Request a new link</a>` })
      }
      return sendForm(reply, { token: form.token ?? '', problems: problemsOf(error) })
    }
    return sendPage(reply, {
      title: 'Welcome to Earshot',
      body: html`<p class="good">Your address is confirmed.</p><p><a href="${SIGN_IN_PATH}">Sign in</a></p>`,
    })
  })
}

function sendForm(reply: FastifyReply, { token, problems }: { token: string; problems: Problems }): FastifyReply {
  return sendPage(reply, {
    title: 'Confirm your e-mail address',
    status: statusOf(problems),
    body: html`<p>Did you sign up for Earshot? Then choose a password to confirm your address.</p>
<form method="post" action="${VERIFY_EMAIL_PATH}">
<input type="hidden" name="token" value="${token}">
${newPasswordField({ label: 'Password', problems })}
<div class="actions"><button>Confirm address</button></div>
</form>`,
  })
}
