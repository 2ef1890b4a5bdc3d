import { createHash } from 'node:crypto'
import { wrongCodes } from '@earshot/contracts'
import { findOwnSignIn } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { signInWith, trySecondFactor, wrongOtp } from '../auth/second-factor.ts'
import { factorOf, type ProvenPassword } from '../auth/sign-in.ts'
import { makeId } from '../auth/token-values.ts'
import { field, type Problems } from './fields.ts'
import { formOf } from './form.ts'
import { html } from './html.ts'
import { sendPage } from './layout.ts'
import { beginPageSession, countGuest, type PageOptions, requireOwnPage } from './page-request.ts'
import { localPath, SIGN_IN_PATH, withNext } from './paths.ts'

const SECOND_STEP_PATH = '/accounts/sign-in/code/'
const PURPOSE = 'second-step'
const LIFETIME_MS = 300_000

/** Proof that the right password was just given. The page carries it, sealed, to the second step. */
interface FirstStep {
  /** Wrong codes are counted by it. */
  id: string
  userId: string
  /** Fingerprint of the password hash: a changed password invalidates the proof. */
  fingerprint: string
  endsAtMs: number
}

/** The second step of signing in: the code, for accounts with a second factor. */
export function registerSecondStep(scope: FastifyInstance, options: PageOptions): void {
  const { database, services, baseUrl } = options

  scope.post(SECOND_STEP_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    await countGuest(request, reply, options)
    const { next, first_step: sealed = '', otp = '' } = formOf(request)
    const path = localPath(next, baseUrl)
    const first = openFirstStep(services.secretBox, sealed)
    if (!first) return reply.redirect(withNext(SIGN_IN_PATH, path), 303)
    const { userId } = first
    const account = await findOwnSignIn(database, userId)
    const { email, password_hash: passwordHash } = account
    if (email === null || passwordHash === null || first.fingerprint !== fingerprintOf(passwordHash)) {
      return reply.redirect(withNext(SIGN_IN_PATH, path), 303)
    }
    const factor = factorOf(account)
    if (factor !== null) {
      const tried = await trySecondFactor({ tx: database, services }, { factor, otp, stepId: first.id }, signInWith(userId))
      if (tried.outcome === 'over' || (tried.outcome === 'wrong' && tried.isStepOver)) return sendStepOver(reply, path)
      if (tried.outcome === 'wrong') return sendCodeForm(reply, { sealed, next: path, problems: wrongOtp().errors ?? [] })
    }
    await beginPageSession(request, reply, { options, proven: { userId, email, passwordHash } })
    return reply.redirect(path, 303)
  })
}

/** Asks for the code, after the right password. */
export function askSecondStep(reply: FastifyReply, { proven, next, box }: { proven: ProvenPassword; next: string; box: SecretBox }) {
  const { userId, passwordHash } = proven
  const first: FirstStep = { id: makeId(), userId, fingerprint: fingerprintOf(passwordHash), endsAtMs: Date.now() + LIFETIME_MS }
  return sendCodeForm(reply, { sealed: box.seal(PURPOSE, JSON.stringify(first)).toString('base64url'), next, problems: null })
}

/** Returns null for a text that was not sealed here, or too long ago. */
function openFirstStep(box: SecretBox, sealed: string): FirstStep | null {
  try {
    // Only `askSecondStep` seals for this purpose.
    const first = JSON.parse(box.open(PURPOSE, Buffer.from(sealed, 'base64url'))) as FirstStep
    return first.endsAtMs > Date.now() ? first : null
  } catch {
    return null
  }
}

function fingerprintOf(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url')
}

function sendCodeForm(reply: FastifyReply, { sealed, next, problems }: { sealed: string; next: string; problems: Problems }): FastifyReply {
  const hint = 'Lost your phone? Enter a recovery code instead.'
  return sendPage(reply, {
    title: 'Enter your code',
    status: problems === null ? 200 : 401,
    body: html`<form method="post" action="${SECOND_STEP_PATH}">
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="first_step" value="${sealed}">
${field({ label: 'Code from your authenticator app', name: 'otp', autocomplete: 'one-time-code', hint, isFirst: true, problems })}
<div class="actions"><button>Sign in</button></div>
</form>`,
  })
}

function sendStepOver(reply: FastifyReply, next: string): FastifyReply {
  return sendPage(reply, {
    title: 'Sign in again',
    status: 401,
    body: html`<p>${wrongCodes.perSignInStep} wrong codes were entered. <a href="${withNext(SIGN_IN_PATH, next)}">Enter your password again</a>.</p>`,
  })
}
