import { ApiError, contracts } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { signUpGuest } from '../accounts.ts'
import { compileInput } from '../http/input.ts'
import { field, type Problems, problemsOf, statusOf } from './fields.ts'
import { type Form, formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { sendCheckEmail } from './mailbox.ts'
import { countGuest, type PageOptions, requireOwnPage } from './page-request.ts'
import { localPath, SIGN_IN_PATH, SIGN_UP_PATH, withNext } from './paths.ts'

const readInput = compileInput(contracts.auth.signUp.input, new Set())

/** The page to sign up. A service with sign-up turned off has none. */
export function registerSignUp(scope: FastifyInstance, options: PageOptions): void {
  const { database: tx, services, baseUrl } = options

  scope.get(SIGN_UP_PATH, async (request, reply) => {
    if (!services.isSignUpOpen) throw new ApiError('not_found')
    const { next } = request.query as { next?: unknown }
    return sendForm(reply, { form: {}, next: localPath(next, baseUrl), problems: null })
  })

  scope.post(SIGN_UP_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const { next, ...form } = formOf(request)
    try {
      const { email, name } = readInput(form) as { email: string; name: string }
      await signUpGuest({ tx, services }, { email, name })
      const text = html`We sent a link to <strong>${email}</strong>. Open it to choose a password and finish signing up.`
      return sendCheckEmail(reply, { text })
    } catch (error) {
      return sendForm(reply, { form, next: localPath(next, baseUrl), problems: problemsOf(error) })
    }
  })
}

function sendForm(reply: FastifyReply, { form, next, problems }: { form: Form; next: string; problems: Problems }): FastifyReply {
  const { name, email } = form
  return sendPage(reply, {
    title: 'Sign up',
    status: statusOf(problems),
    body: html`<form method="post" action="${SIGN_UP_PATH}">
<input type="hidden" name="next" value="${next}">
${field({ label: 'Your name', name: 'name', value: name, autocomplete: 'name', isFirst: true, problems })}
${field({ label: 'E-mail address', name: 'email', type: 'email', value: email, autocomplete: 'username', hint: 'You choose a password when you have confirmed it.', problems })}
<div class="actions"><button>Sign up</button></div>
</form>
<p class="soft">Already have an account? <a href="${withNext(SIGN_IN_PATH, next)}">Sign in</a></p>`,
  })
}
