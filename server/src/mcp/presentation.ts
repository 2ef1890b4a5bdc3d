import { randomBytes } from 'node:crypto'
import type { Tool } from './tools.ts'

/** Longer texts of a list are cut, where another tool shows them whole. */
const MAX_LIST_CHARACTERS = 1_000
/**
 * Characters that people do not see and models read: tags, which spell hidden words, the directions of bidirectional text, what has
 * no width, and the variation selectors that no text needs. A joiner alone stays, because emoji and several scripts need it.
 */
const INVISIBLE =
  /[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|[\u{180b}-\u{180f}]|[\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}]|\u{feff}|\u{61c}|\u{ad}|(?:\u{200c}|\u{200d}){2,}|[\u{fe00}-\u{fe0f}]{2,}/gu
const MARKER = /⟪\/?strangers:[0-9a-f]{8}⟫/g

/**
 * Prepares the output of a tool for a model, in place. The words of strangers stand between markers with a random number, which a
 * stranger cannot close; long texts of lists are cut, with the tool that shows the rest.
 */
export function present(output: unknown, { isList, readsOn, replaceWords, name }: Tool): unknown {
  const number = randomBytes(4).toString('hex')
  const open = `⟪strangers:${number}⟫`
  const cut = (isList || name === 'surveys_results') && readsOn !== null ? readsOn : null
  const shown = (text: string) => shorten(text.replaceAll(INVISIBLE, ''), cut)
  replaceWords?.(output, (field) =>
    mapTexts(field, (text) => {
      const { kept, note } = shown(text)
      return kept === '' ? kept : `${open}${kept}⟪/strangers:${number}⟫${note}`
    }),
  )
  return mapTexts(output, (text) => {
    if (text.startsWith(open)) return text
    const { kept, note } = shown(text)
    return kept + note
  })
}

/** Removes the markers that a model copied from a result into arguments. */
export function withoutMarkers(args: Record<string, unknown>): Record<string, unknown> {
  return mapTexts(args, (text) => text.replaceAll(MARKER, '')) as Record<string, unknown>
}

function shorten(text: string, readsOn: string | null): { kept: string; note: string } {
  if (readsOn === null || text.length <= MAX_LIST_CHARACTERS) return { kept: text, note: '' }
  // Never half of a surrogate pair.
  const kept = text.slice(0, MAX_LIST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
  return { kept, note: ` … [${kept.length} of ${text.length} characters; ${readsOn} shows the rest]` }
}

/** Returns a value with its texts changed, at any depth. Names of fields stay. Bodies and outputs are at most 32 levels deep. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, mapTexts(child, change)]))
}
