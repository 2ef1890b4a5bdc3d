import { ApiError, contracts } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { confirmPasswordReset, requestReset } from '../accounts.ts'
import { compileInput } from '../http/input.ts'
import { field, newPasswordField, type Problems, problemsOf, statusOf } from './fields.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { sendCheckEmail, sendDeadLink } from './mailbox.ts'
import { countGuest, deviceOf, type PageOptions, requireOwnPage } from './page-request.ts'
import { PASSWORD_RESET_PATH, SIGN_IN_PATH } from './paths.ts'

const CONFIRM_PATH = `${PASSWORD_RESET_PATH}confirm/`

const readRequest = compileInput(contracts.auth.passwordReset.create.input, new Set())
const readConfirmation = compileInput(contracts.auth.passwordReset.confirm.input, new Set())

/** The pages to request a password reset, and to choose the new password with its link. */
export function registerPasswordReset(scope: FastifyInstance, options: PageOptions): void {
  const { database: tx, services } = options

  scope.get(PASSWORD_RESET_PATH, async (request, reply) => {
    const { token } = request.query as { token?: unknown }
    return typeof token === 'string'
      ? sendChoice(reply, { token, isRevoking: false, problems: null })
      : sendQuestion(reply, { problems: null })
  })

  scope.post(PASSWORD_RESET_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const form = formOf(request)
    try {
      const { email } = readRequest(form) as { email: string }
      await requestReset({ tx, services }, { email })
      const text = html`If <strong>${email}</strong> has an account, a link is on its way. It works for an hour.`
      return sendCheckEmail(reply, { text })
    } catch (error) {
      return sendQuestion(reply, { email: form.email, problems: problemsOf(error) })
    }
  })

  scope.post(CONFIRM_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const { revoke_tokens: box, ...form } = formOf(request)
    const isRevoking = box !== undefined
    try {
      const answer = readConfirmation({ ...form, revoke_tokens: isRevoking })
      await confirmPasswordReset({ tx, services, ip: request.ip, device: deviceOf(request, reply, options) }, answer)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        return sendDeadLink(reply, { text: error.message, next: html`<a href="${PASSWORD_RESET_PATH}">Request a new link</a>` })
      }
      return sendChoice(reply, { token: form.token ?? '', isRevoking, problems: problemsOf(error) })
    }
    return sendPage(reply, {
      title: 'Password changed',
      body: html`<p>You were signed out everywhere.${isRevoking && html` Your tokens were deleted, and your authorized applications were revoked.`}</p><p><a href="${SIGN_IN_PATH}">Sign in</a></p>`,
    })
  })
}

function sendQuestion(reply: FastifyReply, { email, problems }: { email?: string | undefined; problems: Problems }): FastifyReply {
  return sendPage(reply, {
    title: 'Reset your password',
    status: statusOf(problems),
    body: html`<form method="post" action="${PASSWORD_RESET_PATH}">
${field({ label: 'E-mail address', name: 'email', type: 'email', value: email, autocomplete: 'username', isFirst: true, problems })}
<div class="actions"><button>Send a reset link</button></div>
</form>`,
  })
}

interface Choice {
  token: string
  isRevoking: boolean
  problems: Problems
}

function sendChoice(reply: FastifyReply, { token, isRevoking, problems }: Choice): FastifyReply {
  return sendPage(reply, {
    title: 'Choose a new password',
    status: statusOf(problems),
    body: html`<form method="post" action="${CONFIRM_PATH}">
<input type="hidden" name="token" value="${token}">
${newPasswordField({ label: 'New password', problems })}
<p class="soft">You will be signed out everywhere.</p>
<label class="box"><input type="checkbox" name="revoke_tokens"${isRevoking && html` checked`}><span>Also delete my tokens and revoke my authorized applications <small>Choose this if somebody else may have used your account. Your programs will need new tokens.</small></span></label>
<div class="actions"><button>Change password</button></div>
</form>`,
  })
}
