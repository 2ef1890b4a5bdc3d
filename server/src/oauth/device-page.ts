import { ApiError, type Scope } from '@earshot/contracts'
import { decideDeviceCode, findDeviceRequest } from '@earshot/db/oauth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scaled } from '../auth/rate-limit.ts'
import { addressSubject } from '../http/client-address.ts'
import { formOf } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { redirectToSignIn } from '../pages/sign-in.ts'
import { type PageOptions, readVisitor, requireOwnPage, type SignedInVisitor } from '../pages/visitor.ts'
import { decisionForm, wishList } from './consent.ts'
import { openQuestion, sealQuestion } from './decision.ts'
import { DEVICE_PATH } from './paths.ts'
import { readUserCode, userCodeMac } from './user-code.ts'

/** What the page showed. */
interface Question {
  /** In base64url. */
  hash: string
}

interface Looking {
  request: FastifyRequest
  reply: FastifyReply
  visitor: SignedInVisitor
  options: PageOptions
}

/**
 * The page on which a person types the code that a device shows, sees who asks for what, and decides. A link with the code
 * in it leads to the same question (RFC 8628 §3.3.1): somebody else may have sent it.
 */
export function registerDevicePage(scope: FastifyInstance, options: PageOptions): void {
  const { database, services } = options

  scope.get(DEVICE_PATH, async (request, reply) => {
    const visitor = await readVisitor(request, reply, options)
    if (!visitor) return redirectToSignIn(reply, request.url)
    const { user_code: typed } = request.query as { user_code?: unknown }
    if (typeof typed !== 'string' || typed === '') return sendCodeForm(reply, { visitor })
    return look(typed, { request, reply, visitor, options })
  })

  scope.post(DEVICE_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    const visitor = await readVisitor(request, reply, options)
    if (!visitor) return redirectToSignIn(reply, DEVICE_PATH)
    const { question: sealed, decision, user_code: typed = '' } = formOf(request)
    if (sealed === undefined) return look(typed, { request, reply, visitor, options })
    const { hash } = openQuestion<Question>(services.secretBox, sealed, { kind: 'device', visitor })
    const actor = { userId: visitor.user.id, credentialId: visitor.sessionId, credentialKind: 'session', ip: request.ip }
    const decided = decision === 'allow' ? 'allowed' : 'denied'
    const isMine = await decideDeviceCode(database, actor, { hash: Buffer.from(hash, 'base64url'), decision: decided })
    return isMine ? sendDone(reply, { visitor, decided }) : sendDecidedBefore(reply, { visitor })
  })
}

/** Shows what a code stands for. Wrong ones are counted, right ones are not. Throws `rate_limited`. */
async function look(typed: string, { request, reply, visitor, options }: Looking): Promise<FastifyReply> {
  const { database, services } = options
  const userCode = readUserCode(typed)
  const { limited_seconds, hash, client_name, scopes, decision } = await findDeviceRequest(database, {
    userCodeMac: userCodeMac(services.secretBox, userCode ?? typed),
    userSubject: `device_code:user:${visitor.user.id}`,
    addressSubject: `device_code:${addressSubject(request.ip)}`,
    limit: scaled('device_code', services.rateLimitMultiplier),
  })
  if (limited_seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: limited_seconds })
  if (hash === null || userCode === null) return sendCodeForm(reply, { visitor, typed })
  if (decision !== null) return sendDecidedBefore(reply, { visitor })
  const question = sealQuestion(services.secretBox, { hash: hash.toString('base64url') } satisfies Question, { kind: 'device', visitor })
  return sendQuestion(reply, { visitor, userCode, clientName: client_name, scopes, question })
}

function sendCodeForm(reply: FastifyReply, { visitor, typed }: { visitor: SignedInVisitor; typed?: string }): FastifyReply {
  return sendPage(reply, {
    title: 'Connect a device',
    status: typed === undefined ? 200 : 400,
    account: visitor.user,
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
    visitor,
    userCode,
    clientName,
    scopes,
    question,
  }: { visitor: SignedInVisitor; userCode: string; clientName: string; scopes: readonly Scope[]; question: string },
): FastifyReply {
  return sendPage(reply, {
    title: `Allow ${clientName}?`,
    account: visitor.user,
    body: html`<p>A device with <strong>${clientName}</strong> wants to act for you, <strong>${visitor.user.email}</strong>, on Earshot. It shows the code</p>
<p><code class="code">${userCode}</code></p>
<p>Go on only if you have that device before you, and began this yourself.</p>
${wishList(scopes)}
${decisionForm(DEVICE_PATH, question)}`,
  })
}

function sendDone(reply: FastifyReply, { visitor, decided }: { visitor: SignedInVisitor; decided: 'allowed' | 'denied' }): FastifyReply {
  return sendPage(reply, {
    title: decided === 'allowed' ? 'Your device is connected' : 'You said no',
    account: visitor.user,
    body: decided === 'allowed' ? html`<p class="good">Go back to it; you can close this page.</p>` : html`<p>The device gets nothing.</p>`,
  })
}

function sendDecidedBefore(reply: FastifyReply, { visitor }: { visitor: SignedInVisitor }): FastifyReply {
  return sendPage(reply, {
    title: 'Decided already',
    status: 409,
    account: visitor.user,
    body: html`<p>This code was used, or its time is over. If your device still waits, begin there again.</p>`,
  })
}
