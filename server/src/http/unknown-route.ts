import { ApiError } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'

interface KnownPath {
  url: string
  matches: RegExp
  methods: Set<string>
  /** How many of its parts stand for anything. */
  openParts: number
}

/**
 * Answers for what no route serves, before anything of the request is judged or read: 405 with `Allow` where the path
 * has other methods, else 404. Call after the hooks whose headers these answers carry, and before the routes.
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
    for (const known of paths.values()) if (hasExacter(known, [...paths.values()])) overlapping.add(known.url)
  })
  app.addHook('onRequest', async (request, reply) => {
    const { is404, method, routeOptions } = request
    if (!is404 && !overlapping.has(routeOptions.url ?? '')) return
    const known = mostExact(paths, request.url.split('?', 1)[0] ?? '')
    const isServed = known?.methods.has(method)
    if (isServed && !is404) return
    if (!known || isServed) throw new ApiError('not_found')
    reply.header('allow', [...known.methods].sort().join(', '))
    throw new ApiError('method_not_allowed')
  })
}

/** Whether a path is also one of another's: `…/submissions/moderate/` of `…/submissions/:submission_id/`. */
function hasExacter({ url, matches }: KnownPath, all: readonly KnownPath[]): boolean {
  return all.some((other) => other.url !== url && matches.test(other.url))
}

/** The path that is meant, as the router sees it: words before parameters. */
function mostExact(paths: ReadonlyMap<string, KnownPath>, path: string): KnownPath | undefined {
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
