import { ApiError, contracts } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { provePassword } from '../sign-in.ts'
import type { Form } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { countGuest, type PageOptions, readVisitor, requireOwnPage } from './visitor.ts'

const SIGN_IN_PATH = '/accounts/sign-in/'
const HOME_PATH = '/accounts/'

/** Sends somebody who is not signed in to the page where they do, and back to `next` afterwards. */
export function redirectToSignIn(reply: FastifyReply, next: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(`${SIGN_IN_PATH}?${new URLSearchParams({ next })}`, 303)
}

/** The page where one signs in with e-mail address and password. */
export function registerSignIn(scope: FastifyInstance, options: PageOptions): void {
  const { database, services, baseUrl } = options

  scope.get(SIGN_IN_PATH, async (request, reply) => {
    const { next } = request.query as { next?: unknown }
    const path = localPath(next, baseUrl)
    if (await readVisitor(request, reply, options)) return reply.redirect(path, 303)
    return sendForm(reply, { next: path })
  })

  scope.post(SIGN_IN_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const { next, email = '', password = '' } = (request.body ?? {}) as Form
    const path = localPath(next, baseUrl)
    try {
      const input = contracts.auth.session.create.input.safeParse({ email, password })
      if (!input.success) throw new ApiError('invalid_credentials')
      const { userId } = await provePassword({ tx: database, ip: request.ip, services }, input.data)
      const userAgent = request.headers['user-agent'] ?? null
      const { cookie } = await services.sessions.begin(database, { userId, ip: request.ip, userAgent })
      return reply.header('set-cookie', cookie).redirect(path, 303)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_credentials') throw error
      return sendForm(reply, { next: path, email, status: error.status })
    }
  })

  scope.post('/accounts/sign-out/', async (request, reply) => {
    requireOwnPage(request, options)
    const id = services.sessions.read(request.headers.cookie)
    if (id !== null) await services.sessions.end(database, id)
    return reply.header('set-cookie', services.sessions.blankCookie).redirect(SIGN_IN_PATH, 303)
  })
}

/** A path of this service, whatever it was given: nobody is sent elsewhere after signing in. */
function localPath(next: unknown, baseUrl: string): string {
  if (typeof next !== 'string' || !URL.canParse(next, baseUrl)) return HOME_PATH
  const { origin, pathname, search } = new URL(next, baseUrl)
  return origin === new URL(baseUrl).origin ? pathname + search : HOME_PATH
}

function sendForm(
  reply: FastifyReply,
  { next, email = '', status = 200 }: { next: string; email?: string; status?: number },
): FastifyReply {
  return sendPage(reply, {
    title: 'Sign in',
    status,
    body: html`${status !== 200 && html`<p class="bad" role="alert">That address and password do not belong together.</p>`}
<form method="post" action="${SIGN_IN_PATH}">
<input type="hidden" name="next" value="${next}">
<label>E-mail address <input type="email" name="email" value="${email}" autocomplete="username" required autofocus></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<div class="actions"><button>Sign in</button></div>
</form>`,
  })
}
