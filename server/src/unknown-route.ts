import { ApiError } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import { sendFailure } from './failure.ts'

interface KnownPath {
  matches: RegExp
  methods: Set<string>
}

/** Answers for what no route serves: 405 with `Allow` where the path has other methods, else 404. Call before the routes. */
export function registerUnknownRoute(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { matches: patternOf(url), methods: new Set() }
    for (const each of [method].flat()) known.methods.add(each)
    paths.set(url, known)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = [...paths.values()].filter(({ matches }) => matches.test(path)).flatMap((known) => [...known.methods])
    if (methods.length === 0) return sendFailure(new ApiError('not_found'), request, reply)
    reply.header('allow', [...new Set(methods)].sort().join(', '))
    return sendFailure(new ApiError('method_not_allowed'), request, reply)
  })
}

function patternOf(url: string): RegExp {
  const parts = url.replace(/\/$/, '').split('/')
  const pattern = parts.map(patternOfPart)
  return new RegExp(`^${pattern.join('/')}/?$`)
}

function patternOfPart(part: string): string {
  if (part.startsWith(':')) return '[^/]+'
  return part === '*' ? '.*' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
