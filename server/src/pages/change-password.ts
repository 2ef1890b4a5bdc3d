import { contracts } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { changeOwnPassword } from '../accounts.ts'
import { compileInput } from '../http/input.ts'
import { field, type Problems, problemsOf, statusOf } from './fields.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { type OwnPage, ownAccount, ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { CHANGE_PASSWORD_PATH, HOME_PATH } from './paths.ts'

const readInput = compileInput(contracts.me.changePassword.input, new Set())

export function registerChangePassword(scope: FastifyInstance, options: PageOptions): void {
  scope.get(
    CHANGE_PASSWORD_PATH,
    ownPage(options, async (page) => sendForm(page, null)),
  )

  scope.post(
    CHANGE_PASSWORD_PATH,
    ownPage(options, async (page) => {
      try {
        const input = readInput(formOf(page.request))
        await changeOwnPassword(await ownAccount(page, options), input)
      } catch (error) {
        return sendForm(page, problemsOf(error))
      }
      return sendPage(page.reply, {
        title: 'Password changed',
        account: page.session.user,
        place: CHANGE_PASSWORD_PATH,
        body: html`<p class="good">You were signed out everywhere else.</p><p><a href="${HOME_PATH}">Back to your account</a></p>`,
      })
    }),
  )
}

function sendForm({ reply, session }: OwnPage, problems: Problems): FastifyReply {
  const hint = 'At least 12 characters. A few unrelated words work well.'
  return sendPage(reply, {
    title: 'Change your password',
    status: statusOf(problems),
    account: session.user,
    place: CHANGE_PASSWORD_PATH,
    body: html`<form method="post" action="${CHANGE_PASSWORD_PATH}">
${field({ label: 'Current password', name: 'password', type: 'password', autocomplete: 'current-password', isFirst: true, problems })}
${field({ label: 'New password', name: 'new_password', type: 'password', autocomplete: 'new-password', hint, problems })}
<div class="actions"><button>Change password</button></div>
</form>`,
  })
}
