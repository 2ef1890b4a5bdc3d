import { ApiError, type Scope } from '@earshot/contracts'
import { decideDeviceCode, findDeviceRequest } from '@earshot/db'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scaled } from '../auth/rate-limit.ts'
import { addressSubject } from '../http/client-address.ts'
import { formOf } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { type PageOptions, type PageSession, readPageSession, requireOwnPage } from '../pages/page-request.ts'
import { redirectToSignIn } from '../pages/sign-in.ts'
import { decisionForm, wishList } from './consent.ts'
import { openQuestion, sealQuestion } from './decision.ts'
import { DEVICE_PATH } from './paths.ts'
import { readUserCode, userCodeMac } from './user-code.ts'

/** What the page showed. */
interface Question {
  /** In base64url. */
  hash: string
}

interface DeviceRequest {
  request: FastifyRequest
  reply: FastifyReply
  session: PageSession
  options: PageOptions
}

/**
 * The page on which a person types the code that a device shows, sees who asks for what, and decides. A link with the code
 * in it leads to the same question (RFC 8628 §3.3.1): somebody else may have sent it.
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

/** Shows what a code stands for. Wrong ones are counted, right ones are not. Throws `rate_limited`. */
async function showRequest(typed: string, { request, reply, session, options }: DeviceRequest): Promise<FastifyReply> {
  const { database, services } = options
  const userCode = readUserCode(typed)
  const { limited_seconds, hash, client_name, scopes, decision } = await findDeviceRequest(database, {
    userCodeMac: userCodeMac(services.secretBox, userCode ?? typed),
    userSubject: `device_code:user:${session.user.id}`,
    addressSubject: `device_code:${addressSubject(request.ip)}`,
    limit: scaled('device_code', services.rateLimitMultiplier),
  })
  if (limited_seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: limited_seconds })
  if (hash === null || userCode === null) return sendCodeForm(reply, { session, typed })
  if (decision !== null) return sendDecidedBefore(reply, { session })
  const question = sealQuestion(services.secretBox, { hash: hash.toString('base64url') } satisfies Question, { kind: 'device', session })
  return sendQuestion(reply, { session, userCode, clientName: client_name, scopes, question })
}

function sendCodeForm(reply: FastifyReply, { session, typed }: { session: PageSession; typed?: string }): FastifyReply {
  return sendPage(reply, {
    title: 'Connect a device',
    status: typed === undefined ? 200 : 400,
    account: session.user,
    body: html`${typed !== undefined && html`<p class="bad" role="alert">That code is not right, or its time is over.</p>`}
<form method="post" action="${DEVICE_PATH}">
<label>The code that your device shows <input class="code" name="user_code" value="${typed}" placeholder="BCDF-GHJK" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus></label>
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
    body: html`<p>A device with <strong>${clientName}</strong> wants to act for you, <strong>${session.user.email}</strong>, on Earshot. It shows the code</p>
<p><code class="code">${userCode}</code></p>
<p>Go on only if you have that device before you, and began this yourself.</p>
${wishList(scopes)}
${decisionForm(DEVICE_PATH, question)}`,
  })
}

function sendDone(reply: FastifyReply, { session, decided }: { session: PageSession; decided: 'allowed' | 'denied' }): FastifyReply {
  return sendPage(reply, {
    title: decided === 'allowed' ? 'Your device is connected' : 'You said no',
    account: session.user,
    body: decided === 'allowed' ? html`<p class="good">Go back to it; you can close this page.</p>` : html`<p>The device gets nothing.</p>`,
  })
}

function sendDecidedBefore(reply: FastifyReply, { session }: { session: PageSession }): FastifyReply {
  return sendPage(reply, {
    title: 'Decided already',
    status: 409,
    account: session.user,
    body: html`<p>This code was used, or its time is over. If your device still waits, begin there again.</p>`,
  })
}
