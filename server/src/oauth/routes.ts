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

/** Far more than any request needs. */
const BODY_BYTES = 65_536

/** The pages on which people decide about clients, registered with the other pages. */
export const oauthPages = [registerConsent, registerDevicePage]

/** Registers the endpoints for OAuth clients. */
export async function registerOAuth(app: FastifyInstance, options: PageOptions): Promise<void> {
  registerMetadata(app, options)
  await app.register((scope, _options, done) => {
    // In addition to JSON.
    addForms(scope)
    scope.addHook('onRoute', (route) => void Object.assign(route, { bodyLimit: BODY_BYTES }))
    // Responses with tokens must not be cached (RFC 6749 §5.1).
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
 * Sends an error in OAuth's form (RFC 6749 §5.2) together with ours. Only failures count, against the limit of
 * unauthenticated requests.
 */
async function sendRefusal(
  thrown: unknown,
  { request, reply, options }: { request: FastifyRequest; reply: FastifyReply; options: PageOptions },
): Promise<FastifyReply> {
  const refusal = toRefusal(withOwnLimits(thrown))
  const counted = refusal.isCounted ? await countGuest(request, reply, options).catch((error: unknown) => toRefusal(error)) : undefined
  const { error, failure } = counted ?? refusal
  // However the client authenticated (RFC 6749 §5.2, RFC 9110 §15.5.2).
  if (failure.status === 401) reply.header('www-authenticate', 'Basic realm="Earshot", charset="UTF-8"')
  return sendFailure(failure, request, reply, (body) => ({ error, error_description: descriptionOf(body.detail), ...body }))
}

/** These endpoints have another body limit, and accept other types, than the API. */
function withOwnLimits(thrown: unknown): unknown {
  const { code } = thrown as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('body_too_large', { limit_bytes: BODY_BYTES })
  if (code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return thrown
  return new ApiError('unsupported_media_type', { detail: 'The body must be a form, application/x-www-form-urlencoded, or JSON.' })
}

/** Replaces the two characters that `error_description` must not contain (RFC 6749 §5.2). */
function descriptionOf(detail: string): string {
  return detail.replaceAll('"', "'").replaceAll('\\', '/')
}
