import { styleText } from 'node:util'
import type { Terminal } from './terminal.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'dim'

/** Colours text on a terminal, unless NO_COLOR is set (no-color.org). */
export type Paint = (colour: Colour, text: string) => string

export function painter({ columns, env }: Pick<Terminal, 'columns' | 'env'>): Paint {
  if (columns === undefined || env.NO_COLOR) return (_colour, text) => text
  return (colour, text) => styleText(colour, text, { validateStream: false })
}
