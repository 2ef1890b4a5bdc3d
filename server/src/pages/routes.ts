import { readFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { toApiError } from '../http/failure.ts'
import { once } from '../http/once.ts'
import { represent, sendRepresentation } from '../http/representation.ts'
import { registerApplications } from './applications.ts'
import { registerChangePassword } from './change-password.ts'
import { registerForms } from './form.ts'
import { registerHome } from './home.ts'
import { html } from './html.ts'
import { registerInvitation } from './invitation.ts'
import { STYLE_PATH, sendPage } from './layout.ts'
import { registerNotifications } from './notifications.ts'
import type { PageOptions } from './page-request.ts'
import { registerPasswordReset } from './password-reset.ts'
import { HOME_PATH } from './paths.ts'
import { registerProfile } from './profile.ts'
import { registerSecondFactor } from './second-factor.ts'
import { registerSecondStep } from './second-step.ts'
import { registerSessions } from './sessions.ts'
import { registerSignIn } from './sign-in.ts'
import { registerSignUp } from './sign-up.ts'
import { registerTokens } from './tokens.ts'
import { registerUnsubscribe } from './unsubscribe.ts'
import { registerVerifyEmail } from './verify-email.ts'
import { sourcesOf } from './web-sources.ts'

const STYLES = ['tokens.css', 'page.css', 'account.css']

/** Registers one page, or a few that belong together, in the shared scope. */
type RegisterPage = (scope: FastifyInstance, options: PageOptions) => void

const ownPages: readonly RegisterPage[] = [
  registerSignIn,
  registerSecondStep,
  registerSignUp,
  registerVerifyEmail,
  registerPasswordReset,
  registerHome,
  registerProfile,
  registerNotifications,
  registerChangePassword,
  registerSecondFactor,
  registerSessions,
  registerApplications,
  registerTokens,
  registerInvitation,
  registerUnsubscribe,
]

/** Registers the pages for people, including those of OAuth. They use no script and one style; errors are pages too. */
export async function registerPages(
  app: FastifyInstance,
  options: PageOptions & { webFolder: string },
  others: readonly RegisterPage[],
): Promise<void> {
  const style = once(async () => represent('text/css; charset=utf-8', await readStyle(options.webFolder)))
  app.get(STYLE_PATH, async (request, reply) => sendRepresentation(request, reply, await style()))
  await app.register((scope, _options, done) => {
    registerForms(scope)
    registerErrorPage(scope)
    for (const register of [...ownPages, ...others]) register(scope, options)
    done()
  })
}

/** The style of the pages without script: the colours and sizes of all pages, and their own. No build is needed. */
async function readStyle(webFolder: string): Promise<string> {
  const texts = await Promise.all(STYLES.map((name) => readFile(join(sourcesOf(webFolder), 'styles', name), 'utf8')))
  return texts.join('\n')
}

/** Shows failures in this scope as a page. */
function registerErrorPage(scope: FastifyInstance): void {
  scope.setErrorHandler((error, request, reply) => {
    const failure = toApiError(error)
    if (failure.status === 500) request.log.error({ err: error }, 'request failed')
    if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', failure.retryAfterSeconds)
    const title = STATUS_CODES[failure.status] ?? 'Something went wrong'
    return sendPage(reply, {
      title,
      status: failure.status,
      body: html`<p>${failure.message}</p><p><a href="${HOME_PATH}">Go to your account</a></p><p class="soft">Request <code>${request.id}</code></p>`,
    })
  })
}
