import { ApiError } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'

const PATH = '/c/theme/:color'
const COLOR_FILE = /^([0-9a-f]{6})\.css$/

/** Returns the address of the style that sets a project's colour. Pages have no style of their own inside (`style-src`). */
export function themePath(color: string): string {
  return PATH.replace(':color', `${color.slice(1).toLowerCase()}.css`)
}

/** Serves the colour of a project as a style. The address says it all, so nothing is read, and browsers keep it for ever. */
export function registerTheme(scope: FastifyInstance): void {
  scope.get(PATH, async (request, reply) => {
    const { color = '' } = request.params as { color?: string } // Of this route.
    const [, digits] = COLOR_FILE.exec(color) ?? []
    if (digits === undefined) throw new ApiError('not_found')
    return reply
      .type('text/css; charset=utf-8')
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
      .send(`:root{--brand:#${digits}}`)
  })
}
