import { ApiError } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'

interface KnownPath {
  url: string
  matches: RegExp
  methods: Set<string>
  /** The number of parameters and wildcards. */
  openParts: number
}

/**
 * Responds to requests that no route serves, before they are authorized or read: 405 with `Allow` where the path has other
 * methods, else 404. Call it after the hooks that set headers of these responses, and before the routes.
 */
export function registerUnknownRoute(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>()
  const overlapping = new Set<string>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? knownPath(url)
    for (const each of [method].flat()) known.methods.add(each)
    paths.set(url, known)
  })
  app.addHook('onReady', async () => {
    for (const known of paths.values()) if (hasMoreSpecific(known, [...paths.values()])) overlapping.add(known.url)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { is404, method, routeOptions } = request
    if (!is404 && !overlapping.has(routeOptions.url ?? '')) return done()
    const known = mostSpecific(paths, request.url.split('?', 1)[0] ?? '')
    const isServed = known?.methods.has(method)
    if (isServed && !is404) return done()
    if (!known || isServed) return done(new ApiError('not_found'))
    reply.header('allow', [...known.methods].sort().join(', '))
    done(new ApiError('method_not_allowed'))
  })
}

/** Whether a more specific path matches too: `…/submissions/moderate/` is also `…/submissions/:submission_id/`. */
function hasMoreSpecific({ url, matches }: KnownPath, all: readonly KnownPath[]): boolean {
  return all.some((other) => other.url !== url && matches.test(other.url))
}

/** Returns the path that the router chooses: static parts before parameters. */
function mostSpecific(paths: ReadonlyMap<string, KnownPath>, path: string): KnownPath | undefined {
  return [...paths.values()].filter(({ matches }) => matches.test(path)).sort((a, b) => a.openParts - b.openParts)[0]
}

function knownPath(url: string): KnownPath {
  const parts = url.replace(/\/$/, '').split('/')
  return {
    url,
    matches: new RegExp(`^${parts.map(patternOfPart).join('/')}/?$`),
    methods: new Set(),
    openParts: parts.filter((part) => part.startsWith(':') || part === '*').length,
  }
}

function patternOfPart(part: string): string {
  if (part.startsWith(':')) return '[^/]+'
  return part === '*' ? '.*' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
