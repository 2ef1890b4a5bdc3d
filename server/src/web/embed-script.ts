import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@earshot/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncodings } from '../http/compression.ts'
import { matchesETag } from '../http/etag.ts'
import { type Representation, represent } from '../http/representation.ts'
import { type BuiltPages, beingBuilt } from './built-pages.ts'

const SCRIPT = 'embed.js'
const MINUTES = 'public, max-age=300, stale-while-revalidate=86400'
const FOR_EVER = 'public, max-age=31536000, immutable'
const TYPE = 'text/javascript; charset=utf-8'
/** As a build writes them beside the script, the smallest first. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
  { name: 'identity', extension: '' },
] as const

type Encoding = (typeof ENCODINGS)[number]['name']

/** Serves the one script that websites load, and what it loads when it is needed, to every site. */
export function registerEmbedScript(app: FastifyInstance, { built }: Pick<BuiltPages, 'built'>): void {
  const read = readBuilt(join(built, SCRIPT))
  // Its address stays the same, so it is kept for minutes only.
  app.get(`/${SCRIPT}`, async (request, reply) => sendScript(request, reply, { script: await read(), cache: MINUTES }))
  app.get<{ Params: { hash: string } }>('/embed-player-:hash(^[\\w-]{8}).js', async (request, reply) => {
    const script = await readEncodings(join(built, `embed-player-${request.params.hash}.js`)).catch(() => null)
    if (!script) throw new ApiError('not_found')
    return sendScript(request, reply, { script, cache: FOR_EVER })
  })
}

function sendScript(
  request: FastifyRequest,
  reply: FastifyReply,
  { script, cache }: { script: Record<Encoding, Representation>; cache: string },
): FastifyReply {
  const encoding = encodingFor(request.headers['accept-encoding'])
  const { body, etag } = script[encoding]
  reply.headers({
    'access-control-allow-origin': '*',
    'cache-control': cache,
    'cross-origin-resource-policy': 'cross-origin',
    etag,
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  })
  if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(TYPE).send(body)
}

/** Returns a function that reads the script in all encodings, again only after a build. Throws `dependency_unavailable` before the first. */
function readBuilt(path: string): () => Promise<Record<Encoding, Representation>> {
  let known: { builtMs: number; script: Record<Encoding, Representation> } | undefined
  return async () => {
    const file = await stat(path).catch(() => null)
    if (!file) throw beingBuilt()
    if (known?.builtMs !== file.mtimeMs) known = { builtMs: file.mtimeMs, script: await readEncodings(path) }
    return known.script
  }
}

async function readEncodings(path: string): Promise<Record<Encoding, Representation>> {
  // While the first build writes them. A later build replaces the script last, so that all are read again.
  const [br, gzip, identity] = await Promise.all(ENCODINGS.map(({ extension }) => readFile(path + extension))).catch(() => [])
  if (!br || !gzip || !identity) throw beingBuilt()
  return { br: represent(TYPE, br), gzip: represent(TYPE, gzip), identity: represent(TYPE, identity) }
}

/** Chooses among what the client accepts. */
function encodingFor(header: string | string[] | undefined): Encoding {
  const accepted = acceptedEncodings(header)
  return ENCODINGS.find(({ name }) => accepted.has(name))?.name ?? 'identity'
}
