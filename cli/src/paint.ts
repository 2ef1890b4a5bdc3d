import type { Terminal } from './terminal.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'dim'

/** Select Graphic Rendition: on and off (ECMA-48 §8.3.117). */
const CODES: Record<Colour, [on: number, off: number]> = { green: [32, 39], yellow: [33, 39], red: [31, 39], dim: [2, 22] }

/** Colours text. */
export type Paint = (colour: Colour, text: string) => string

/** Colours text on a terminal. FORCE_COLOR decides for any output, as in Node; else NO_COLOR (no-color.org) and TERM=dumb switch it off. */
export function painter(terminal: Pick<Terminal, 'columns' | 'env'>): Paint {
  if (!isColoured(terminal)) return (_colour, text) => text
  return (colour, text) => {
    const [on, off] = CODES[colour]
    return `\u001b[${on}m${text}\u001b[${off}m`
  }
}

function isColoured({ columns, env }: Pick<Terminal, 'columns' | 'env'>): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return columns !== undefined && !env.NO_COLOR && env.TERM !== 'dumb'
}
