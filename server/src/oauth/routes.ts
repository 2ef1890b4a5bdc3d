import { ApiError } from '@earshot/contracts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendFailure } from '../http/failure.ts'
import { addForms } from '../pages/form.ts'
import { countGuest, type PageOptions } from '../pages/page-request.ts'
import { registerConsent } from './consent.ts'
import { registerDeviceAuthorization } from './device-authorization.ts'
import { registerDevicePage } from './device-page.ts'
import { registerIntrospection } from './introspect.ts'
import { registerMetadata } from './metadata.ts'
import { toRefusal } from './refusal.ts'
import { registerRevocation } from './revoke.ts'
import { registerToken } from './token.ts'

/** Of a request; no parameter comes near it. */
const BODY_BYTES = 65_536

/** Where people decide what clients may do: they stand among the other pages. */
export const oauthPages = [registerConsent, registerDevicePage]

/** What OAuth clients talk to. */
export async function registerOAuth(app: FastifyInstance, options: PageOptions): Promise<void> {
  registerMetadata(app, options)
  await app.register((scope, _options, done) => {
    // Beside JSON.
    addForms(scope)
    scope.addHook('onRoute', (route) => void Object.assign(route, { bodyLimit: BODY_BYTES }))
    // Tokens, and whatever stands where tokens may (RFC 6749 §5.1).
    scope.addHook('onRequest', async (_request, reply) => void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }))
    scope.setErrorHandler((error, request, reply) => sendRefusal(error, { request, reply, options }))
    registerToken(scope, options)
    registerDeviceAuthorization(scope, options)
    registerRevocation(scope, options)
    registerIntrospection(scope, options)
    done()
  })
}

/**
 * A refusal in OAuth's own form (RFC 6749 §5.2) beside ours. A client that does right is never counted; one that fails is
 * counted as what it is to us, somebody unauthenticated.
 */
async function sendRefusal(
  thrown: unknown,
  { request, reply, options }: { request: FastifyRequest; reply: FastifyReply; options: PageOptions },
): Promise<FastifyReply> {
  const refusal = toRefusal(inOwnWords(thrown))
  const counted = refusal.isCounted ? await countGuest(request, reply, options).catch((error: unknown) => toRefusal(error)) : undefined
  const { error, failure } = counted ?? refusal
  // Whichever way it tried (RFC 6749 §5.2, RFC 9110 §15.5.2).
  if (failure.status === 401) reply.header('www-authenticate', 'Basic realm="Earshot", charset="UTF-8"')
  return sendFailure(failure, request, reply, (body) => ({ error, error_description: descriptionOf(body.detail), ...body }))
}

/** What Fastify refuses here has another limit, and another choice of types, than elsewhere. */
function inOwnWords(thrown: unknown): unknown {
  const { code } = thrown as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('body_too_large', { limit_bytes: BODY_BYTES })
  if (code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return thrown
  return new ApiError('unsupported_media_type', { detail: 'The body must be a form, application/x-www-form-urlencoded, or JSON.' })
}

/** Without the two characters that it must not hold (RFC 6749 §5.2). */
function descriptionOf(detail: string): string {
  return detail.replaceAll('"', "'").replaceAll('\\', '/')
}
