import { ApiError } from '@earshot/contracts'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { BuiltPages } from './built-pages.ts'

const YEAR_MS = 365 * 24 * 3_600_000
/** Names with a hash, which change with the content. */
const HASHED = /-[\w-]{8}\.\w+$/

/** Serves what pages load, compressed by the build, to be kept for ever: each name has a hash of its content. */
export async function registerAssets(app: FastifyInstance, { built }: BuiltPages): Promise<void> {
  await app.register((scope, _options, done) => {
    // A name that no build has, or that an older one had.
    scope.setNotFoundHandler(() => {
      throw new ApiError('not_found')
    })
    scope.register(fastifyStatic, {
      root: built,
      prefix: '/assets/',
      // Files are looked up when they are asked for, because a build adds files; the first may not have ended yet.
      wildcard: true,
      suppressWarning: true,
      index: false,
      decorateReply: false,
      preCompressed: true,
      immutable: true,
      maxAge: YEAR_MS,
      allowedPath: (path) => HASHED.test(path),
      setHeaders: (reply) => void reply.headers({ 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' }),
    })
    done()
  })
}
