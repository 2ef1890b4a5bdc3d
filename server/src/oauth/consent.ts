import type { Scope } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formOf } from '../pages/form.ts'
import { type Html, html } from '../pages/html.ts'
import { sendPage } from '../pages/layout.ts'
import { type PageOptions, type PageSession, readPageSession, requireOwnPage } from '../pages/page-request.ts'
import { scopeList } from '../pages/scope-list.ts'
import { redirectToSignIn } from '../pages/sign-in.ts'
import { type AuthorizationRequest, type ReturnAddress, readAuthorizationRequest, responseUri } from './authorization-request.ts'
import { openQuestion, sealQuestion } from './decision.ts'
import { AUTHORIZATION_PATH } from './paths.ts'
import { describeRedirectUri, formTargetOf } from './redirect-uri.ts'
import { toRefusal } from './refusal.ts'

/** The question of a consent page. */
interface Question extends ReturnAddress {
  clientId: string
  scopes: readonly Scope[]
  codeChallenge: string
  resource: string | null
}

/** The page on which a person allows a client to act for them (RFC 6749 §4.1.1). Only its form grants anything. */
export function registerConsent(scope: FastifyInstance, options: PageOptions): void {
  const { services, baseUrl } = options

  scope.get(AUTHORIZATION_PATH, async (request, reply) => {
    // The session comes first, because a link alone must not redirect to a client (RFC 9700 §4.11.2).
    const session = await readPageSession(request, reply, options)
    if (!session) return redirectToSignIn(reply, request.url)
    const asked = await readAuthorizationRequest(options.database, request.url.split('?').slice(1).join('?'), baseUrl)
    if ('refusal' in asked) return sendBack(reply, responseUri(asked, { error: asked.refusal }, baseUrl))
    return sendConsent(reply, { asked, session, options })
  })

  scope.post(AUTHORIZATION_PATH, async (request, reply) => {
    requireOwnPage(request, options)
    const session = await readPageSession(request, reply, options)
    if (!session) return redirectToSignIn(reply, '/accounts/')
    const form = formOf(request)
    const question = openQuestion<Question>(services.secretBox, form.question, { kind: 'consent', session })
    const parameters = form.decision === 'allow' ? await allow(question, { request, session, options }) : { error: 'access_denied' }
    return sendBack(reply, responseUri(question, parameters, baseUrl))
  })
}

/** Redirects with 303, so that browsers do not send our form on to the client (RFC 9700 §4.12). */
function sendBack(reply: FastifyReply, location: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(location, 303)
}

/** Issues the code. Throws, for the error page, when the client has been changed or removed meanwhile. */
async function allow(
  question: Question,
  { request, session, options: { database } }: { request: FastifyRequest; session: PageSession; options: PageOptions },
): Promise<Record<string, string>> {
  const actor = { userId: session.user.id, credentialId: session.id, credentialKind: 'session', ip: request.ip }
  try {
    const { issueCode } = await import('./engine.ts')
    return { code: await issueCode({ database, actor, question }) }
  } catch (error) {
    throw toRefusal(error).failure
  }
}

function sendConsent(
  reply: FastifyReply,
  { asked, session, options }: { asked: AuthorizationRequest; session: PageSession; options: PageOptions },
): FastifyReply {
  const { client, redirectUri, state, scopes, codeChallenge, resource } = asked
  const question: Question = { clientId: client.client_id, redirectUri, state, scopes, codeChallenge, resource }
  return sendPage(reply, {
    title: `Allow ${client.name}?`,
    account: session.user,
    formTarget: formTargetOf(redirectUri),
    body: html`<p><strong>${client.name}</strong> wants to access Earshot as <strong>${session.user.email}</strong>.</p>
${requestedScopes(scopes)}
<p>You will be redirected to <strong>${describeRedirectUri(redirectUri)}</strong>.</p>
${decisionForm(AUTHORIZATION_PATH, sealQuestion(options.services.secretBox, question, { kind: 'consent', session }))}`,
  })
}

/** The scopes that a client asks for. */
export function requestedScopes(scopes: readonly Scope[]): Html {
  return html`<h2>It will be able to</h2>
${scopeList(scopes)}
<p class="soft">It can never do more than you can. You can revoke its access at any time.</p>`
}

/** The two buttons. The form has no text field, so pressing Enter cannot submit it by accident. */
export function decisionForm(path: string, question: string): Html {
  return html`<form method="post" action="${path}">
<input type="hidden" name="question" value="${question}">
<div class="actions"><button name="decision" value="allow">Allow</button> <button class="plain" name="decision" value="deny">Deny</button></div>
</form>`
}
