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

/** Where the second factor is set up and turned off. */
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
    const place = await ownAccount(page, options)
    const { sealed_factor: sealed, email, user_id: userId } = place.account
    try {
      const { otp } = readConfirmation(bodyOf(page)) as { otp: string }
      return sendCodes(page, await confirmOwnFactor(place, { otp }))
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

/** What there is to do, by whether one is in use. */
function sendStart({ reply, session: { user } }: OwnPage, problems: Problems): FastifyReply {
  const isOn = user.mfa_enabled_at !== null
  const password = field({ label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password', problems })
  const code = field({ label: 'Code of the app, or a recovery code', name: 'otp', autocomplete: 'one-time-code', problems })
  return sendPage(reply, {
    title: 'Second factor',
    status: statusOf(problems),
    account: user,
    body: isOn
      ? html`<p class="good">It is on: your password alone signs nobody in.</p>
<form method="post" action="${DISABLE_PATH}">${password}${code}<div class="actions"><button class="plain">Turn it off</button></div></form>`
      : html`<p>With it, whoever knows your password still cannot sign in: an authenticator app on your phone shows a code that is asked for too.</p>
<form method="post" action="${ENROLL_PATH}">${password}<div class="actions"><button>Set it up</button></div></form>`,
  })
}

function sendSecret(
  { reply, session: { user } }: OwnPage,
  { secret, otpauthUrl }: { secret: string; otpauthUrl: string },
  problems: Problems,
): FastifyReply {
  return sendPage(reply, {
    title: 'Set up your app',
    status: statusOf(problems),
    account: user,
    body: html`<p>Scan this with your authenticator app, or type <code>${secret.match(/.{1,4}/g)?.join(' ')}</code> into it.</p>
<p><img src="${qrCode(otpauthUrl)}" alt="QR code of the secret" width="240" height="240"></p>
<form method="post" action="${CONFIRM_PATH}">
${field({ label: 'The code that it shows', name: 'otp', autocomplete: 'one-time-code', isFirst: true, problems })}
<div class="actions"><button>Turn it on</button></div>
</form>`,
  })
}

function sendCodes({ reply, session: { user } }: OwnPage, codes: readonly string[]): FastifyReply {
  return sendPage(reply, {
    title: 'Keep your recovery codes',
    account: user,
    body: html`<p class="good">The second factor is on.</p>
<p>Each of these signs you in once, should you lose your app. They are shown now and never again: write them down, or print this page.</p>
<ul>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="${HOME_PATH}">Back to your account</a></p>`,
  })
}
