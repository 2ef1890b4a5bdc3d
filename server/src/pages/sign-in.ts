import { ApiError, contracts } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { provePassword } from '../auth/sign-in.ts'
import { field } from './fields.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { beginPageSession, countGuest, deviceOf, type PageOptions, readPageSession, requireOwnPage } from './page-request.ts'
import { localPath, PASSWORD_RESET_PATH, SIGN_IN_PATH, SIGN_OUT_PATH, SIGN_UP_PATH, withNext } from './paths.ts'
import { askSecondStep } from './second-step.ts'

/** Redirects to the sign-in page, which leads back to `next`. */
export function redirectToSignIn(reply: FastifyReply, next: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(withNext(SIGN_IN_PATH, next), 303)
}

/** The page to sign in with e-mail address and password. */
export function registerSignIn(scope: FastifyInstance, options: PageOptions): void {
  const { database, services, baseUrl } = options
  const { isSignUpOpen } = services

  scope.get(SIGN_IN_PATH, async (request, reply) => {
    const { next } = request.query as { next?: unknown }
    const path = localPath(next, baseUrl)
    if (await readPageSession(request, reply, options)) return reply.redirect(path, 303)
    return sendForm(reply, { next: path, isSignUpOpen })
  })

  scope.post(SIGN_IN_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const { next, email = '', password = '' } = formOf(request)
    const path = localPath(next, baseUrl)
    try {
      const input = contracts.auth.session.create.input.safeParse({ email, password })
      if (!input.success) throw new ApiError('invalid_credentials')
      const device = deviceOf(request, reply, options)
      const proven = await provePassword({ tx: database, ip: request.ip, device, services }, input.data)
      if (proven.hasSecondFactor) return askSecondStep(reply, { proven, next: path, box: services.secretBox })
      await beginPageSession(request, reply, { options, proven })
      return reply.redirect(path, 303)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'email_not_verified') return sendUnverified(reply, { email, status: error.status })
      if (error.code !== 'invalid_credentials') throw error
      return sendForm(reply, { next: path, isSignUpOpen, email, status: error.status })
    }
  })

  scope.post(SIGN_OUT_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    const id = services.sessions.read(request.headers.cookie)
    if (id !== null) await services.sessions.end(database, id)
    return reply.header('set-cookie', services.sessions.blankCookie).redirect(SIGN_IN_PATH, 303)
  })
}

interface SignInForm {
  next: string
  isSignUpOpen: boolean
  email?: string
  status?: number
}

function sendForm(reply: FastifyReply, { next, isSignUpOpen, email = '', status = 200 }: SignInForm): FastifyReply {
  return sendPage(reply, {
    title: 'Sign in',
    status,
    body: html`${status !== 200 && html`<p class="bad" role="alert">Incorrect e-mail address or password.</p>`}
<form method="post" action="${SIGN_IN_PATH}">
<input type="hidden" name="next" value="${next}">
${field({ label: 'E-mail address', name: 'email', type: 'email', value: email, autocomplete: 'username', isFirst: true, problems: null })}
${field({ label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password', problems: null })}
<div class="actions"><button>Sign in</button></div>
</form>
<p><a href="${PASSWORD_RESET_PATH}">Forgot your password?</a></p>
${isSignUpOpen && html`<p class="soft">New to Earshot? <a href="${withNext(SIGN_UP_PATH, next)}">Create an account</a></p>`}`,
  })
}

function sendUnverified(reply: FastifyReply, { email, status }: { email: string; status: number }): FastifyReply {
  return sendPage(reply, {
    title: 'Confirm your e-mail address',
    status,
    body: html`<p>Before you can sign in, confirm <strong>${email}</strong>. <a href="${PASSWORD_RESET_PATH}">Request a link</a></p>`,
  })
}
