import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { once } from '../http/once.ts'
import { represent, sendRepresentation } from '../http/representation.ts'
import type { BuiltPages } from './built-pages.ts'

/** Serves the icon of the service, which no build changes. */
export function registerFavicon(app: FastifyInstance, { sources }: Pick<BuiltPages, 'sources'>): void {
  const icon = once(async () => represent('image/svg+xml', await readFile(join(sources, 'favicon.svg'))))
  app.get('/favicon.svg', async (request, reply) => sendRepresentation(request, reply, await icon()))
}
