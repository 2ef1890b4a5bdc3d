import { contracts } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { describeSecondFactor } from '../auth/otp.ts'
import { compileInput } from '../http/input.ts'
import { confirmOwnFactor, disableOwnFactor, enrollOwnFactor } from '../mfa.ts'
import { field, type Problems, problemsOf, statusOf } from './fields.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { type OwnPage, ownAccount, ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { HOME_PATH, SECOND_FACTOR_PATH } from './paths.ts'
import { qrCode } from './qr-code.ts'

const ENROLL_PATH = `${SECOND_FACTOR_PATH}enroll/`
const CONFIRM_PATH = `${SECOND_FACTOR_PATH}confirm/`
const DISABLE_PATH = `${SECOND_FACTOR_PATH}disable/`

const { enroll, confirm, disable } = contracts.me.mfa
const readEnrollment = compileInput(enroll.input, new Set())
const readConfirmation = compileInput(confirm.input, new Set())
const readEnd = compileInput(disable.input, new Set())

/** The page to turn the second factor on and off. */
export function registerSecondFactor(scope: FastifyInstance, options: PageOptions): void {
  const route = (path: string, work: (page: OwnPage) => Promise<FastifyReply>) => scope.post(path, ownPage(options, work))
  const bodyOf = ({ request }: OwnPage) => formOf(request)

  scope.get(
    SECOND_FACTOR_PATH,
    ownPage(options, async (page) => sendStart(page, null)),
  )

  route(ENROLL_PATH, async (page) => {
    try {
      const { password } = readEnrollment(bodyOf(page)) as { password: string }
      return sendSecret(page, await enrollOwnFactor(await ownAccount(page, options), { password }), null)
    } catch (error) {
      return sendStart(page, problemsOf(error))
    }
  })

  route(CONFIRM_PATH, async (page) => {
    const own = await ownAccount(page, options)
    const { sealed_factor: sealed, email, user_id: userId } = own.account
    try {
      const { otp } = readConfirmation(bodyOf(page)) as { otp: string }
      return sendCodes(page, await confirmOwnFactor(own, { otp }))
    } catch (error) {
      const problems = problemsOf(error)
      if (sealed === null || userId === null) return sendStart(page, problems)
      return sendSecret(page, describeSecondFactor(options.services.secretBox, { userId, sealed }, email ?? ''), problems)
    }
  })

  route(DISABLE_PATH, async (page) => {
    try {
      const { password, otp } = readEnd(bodyOf(page)) as { password: string; otp: string }
      await disableOwnFactor(await ownAccount(page, options), { password, otp })
    } catch (error) {
      return sendStart(page, problemsOf(error))
    }
    return page.reply.redirect(SECOND_FACTOR_PATH, 303)
  })
}

/** Offers to turn the second factor on or off. */
function sendStart({ reply, session: { user } }: OwnPage, problems: Problems): FastifyReply {
  const isOn = user.mfa_enabled_at !== null
  const password = field({ label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password', problems })
  const code = field({ label: 'Code from your app, or a recovery code', name: 'otp', autocomplete: 'one-time-code', problems })
  return sendPage(reply, {
    title: 'Two-factor authentication',
    status: statusOf(problems),
    account: user,
    place: SECOND_FACTOR_PATH,
    body: isOn
      ? html`<p class="good">Two-factor authentication is on. Signing in takes your password and a code.</p>
<form method="post" action="${DISABLE_PATH}">${password}${code}<div class="actions"><button class="plain">Turn off</button></div></form>`
      : html`<p>Protect your account with an authenticator app. Signing in will take your password and a code from the app.</p>
<form method="post" action="${ENROLL_PATH}">${password}<div class="actions"><button>Set up</button></div></form>`,
  })
}

function sendSecret(
  { reply, session: { user } }: OwnPage,
  { secret, otpauthUrl }: { secret: string; otpauthUrl: string },
  problems: Problems,
): FastifyReply {
  return sendPage(reply, {
    title: 'Set up your authenticator app',
    status: statusOf(problems),
    account: user,
    place: SECOND_FACTOR_PATH,
    body: html`<p>Scan the QR code with your authenticator app, or enter this key: <code>${secret.match(/.{1,4}/g)?.join(' ')}</code></p>
<p><img src="${qrCode(otpauthUrl)}" alt="QR code of the secret" width="240" height="240"></p>
<form method="post" action="${CONFIRM_PATH}">
${field({ label: 'Code from the app', name: 'otp', autocomplete: 'one-time-code', isFirst: true, problems })}
<div class="actions"><button>Turn on</button></div>
</form>`,
  })
}

function sendCodes({ reply, session: { user } }: OwnPage, codes: readonly string[]): FastifyReply {
  return sendPage(reply, {
    title: 'Save your recovery codes',
    account: user,
    place: SECOND_FACTOR_PATH,
    body: html`<p class="good">Two-factor authentication is on.</p>
<p>Save these codes now; they will not be shown again. If you lose your phone, each of them signs you in once.</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="${HOME_PATH}">Back to your account</a></p>`,
  })
}
