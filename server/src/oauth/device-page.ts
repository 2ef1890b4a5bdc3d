import { ApiError, type Scope } from '@earshot/contracts'
import { decideDeviceCode, findDeviceRequest } from '@earshot/db/oauth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressSubject } from '../auth/client-address.ts'
import { scaled } from '../auth/rate-limit.ts'
import { formOf } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { type PageOptions, type PageSession, readPageSession, requireOwnPage } from '../pages/page-request.ts'
import { redirectToSignIn } from '../pages/sign-in.ts'
import { decisionForm, requestedScopes } from './consent.ts'
import { openQuestion, sealQuestion } from './decision.ts'
import { DEVICE_PATH } from './paths.ts'
import { readUserCode, userCodeMac } from './user-code.ts'

/** The question of the page. */
interface Question {
  /** Hash of the device code, in base64url. */
  hash: string
}

interface DeviceRequest {
  request: FastifyRequest
  reply: FastifyReply
  session: PageSession
  options: PageOptions
}

/**
 * The page on which a person enters the code of a device, sees which client asks for which scopes, and decides. A link with
 * the code leads to the same question (RFC 8628 §3.3.1), because somebody else may have sent the link.
 */
export function registerDevicePage(scope: FastifyInstance, options: PageOptions): void {
  const { database, services } = options

  scope.get(DEVICE_PATH, async (request, reply) => {
    const session = await readPageSession(request, reply, options)
    if (!session) return redirectToSignIn(reply, request.url)
    const { user_code: typed } = request.query as { user_code?: unknown }
    if (typeof typed !== 'string' || typed === '') return sendCodeForm(reply, { session })
    return showRequest(typed, { request, reply, session, options })
  })

  scope.post(DEVICE_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    const session = await readPageSession(request, reply, options)
    if (!session) return redirectToSignIn(reply, DEVICE_PATH)
    const { question: sealed, decision, user_code: typed = '' } = formOf(request)
    if (sealed === undefined) return showRequest(typed, { request, reply, session, options })
    const { hash } = openQuestion<Question>(services.secretBox, sealed, { kind: 'device', session })
    const actor = { userId: session.user.id, credentialId: session.id, credentialKind: 'session', ip: request.ip }
    const decided = decision === 'allow' ? 'allowed' : 'denied'
    const isMine = await decideDeviceCode(database, actor, { hash: Buffer.from(hash, 'base64url'), decision: decided })
    return isMine ? sendDone(reply, { session, decided }) : sendDecidedBefore(reply, { session })
  })
}

/** Shows the request behind a code. Counts wrong codes only. Throws `rate_limited`. */
async function showRequest(typed: string, { request, reply, session, options }: DeviceRequest): Promise<FastifyReply> {
  const { database, services } = options
  const userCode = readUserCode(typed)
  const found = await findDeviceRequest(database, {
    userCodeMac: userCodeMac(services.secretBox, userCode ?? typed),
    userSubject: `device_code:user:${session.user.id}`,
    addressSubject: `device_code:${addressSubject(request.ip)}`,
    limit: scaled('device_code', services.rateLimitMultiplier),
  })
  if (found.outcome === 'limited') throw new ApiError('rate_limited', { retryAfterSeconds: found.seconds })
  if (found.outcome === 'unknown' || userCode === null) return sendCodeForm(reply, { session, typed })
  const { hash, client_name, scopes, decision } = found.request
  if (decision !== null) return sendDecidedBefore(reply, { session })
  const question = sealQuestion(services.secretBox, { hash: hash.toString('base64url') } satisfies Question, { kind: 'device', session })
  return sendQuestion(reply, { session, userCode, clientName: client_name, scopes, question })
}

function sendCodeForm(reply: FastifyReply, { session, typed }: { session: PageSession; typed?: string }): FastifyReply {
  return sendPage(reply, {
    title: 'Connect a device',
    status: typed === undefined ? 200 : 400,
    account: session.user,
    body: html`${typed !== undefined && html`<p class="bad" role="alert">This code is invalid or has expired.</p>`}
<form method="post" action="${DEVICE_PATH}">
<label>Code shown on your device <input class="code" name="user_code" value="${typed}" placeholder="BCDF-GHJK" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus></label>
<div class="actions"><button>Continue</button></div>
</form>`,
  })
}

function sendQuestion(
  reply: FastifyReply,
  {
    session,
    userCode,
    clientName,
    scopes,
    question,
  }: { session: PageSession; userCode: string; clientName: string; scopes: readonly Scope[]; question: string },
): FastifyReply {
  return sendPage(reply, {
    title: `Allow ${clientName}?`,
    account: session.user,
    body: html`<p><strong>${clientName}</strong> on a device wants to access Earshot as <strong>${session.user.email}</strong>. The device shows this code:</p>
<p><code class="code">${userCode}</code></p>
<p>Continue only if you started this yourself and see the same code on your device.</p>
${requestedScopes(scopes)}
${decisionForm(DEVICE_PATH, question)}`,
  })
}

function sendDone(reply: FastifyReply, { session, decided }: { session: PageSession; decided: 'allowed' | 'denied' }): FastifyReply {
  return sendPage(reply, {
    title: decided === 'allowed' ? 'Device connected' : 'Access denied',
    account: session.user,
    body:
      decided === 'allowed'
        ? html`<p class="good">You can close this page and return to your device.</p>`
        : html`<p>The device was not given access.</p>`,
  })
}

function sendDecidedBefore(reply: FastifyReply, { session }: { session: PageSession }): FastifyReply {
  return sendPage(reply, {
    title: 'Code already used',
    status: 409,
    account: session.user,
    body: html`<p>This code was already used or has expired. If your device is still waiting, start again there.</p>`,
  })
}
