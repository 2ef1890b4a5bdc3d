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
/** All that is invisible is beyond Latin-1, but for the soft hyphen: most texts need no closer look. */
const UNUSUAL = /[\u00ad\u0100-\uffff]/
/** ASCII, because a text with any other character takes twice the memory, and longer to send. */
const MARKER = /<\/?strangers-[0-9a-f]{8}>/g

/**
 * Prepares the output of a tool for a model, in place. The words of strangers stand between markers with a random number, which a
 * stranger cannot close; long texts of lists are cut, with the tool that shows the rest.
 */
export function present(output: unknown, { isList, readsOn, replaceWords, name }: Tool): unknown {
  const number = randomBytes(4).toString('hex')
  const open = `<strangers-${number}>`
  const cut = isList || name === 'surveys_results' ? readsOn : null
  replaceWords?.(output, (field) =>
    mapTexts(field, (text) => (text === '' ? text : shorten(visible(text), cut, [open, `</strangers-${number}>`]))),
  )
  return mapTexts(output, (text) => (text.startsWith(open) ? text : shorten(visible(text), cut)))
}

/** Removes the markers that a model copied from a result into arguments. */
export function withoutMarkers(args: Record<string, unknown>): Record<string, unknown> {
  return mapTexts(args, (text) => text.replaceAll(MARKER, '')) as Record<string, unknown>
}

function visible(text: string): string {
  return UNUSUAL.test(text) ? text.replaceAll(INVISIBLE, '') : text
}

/** Says outside of the markers what was cut, and which tool shows it. */
function shorten(text: string, readsOn: string | null, [open, close] = ['', '']): string {
  if (readsOn === null || text.length <= MAX_LIST_CHARACTERS) return open + text + close
  // Never half of a surrogate pair.
  const kept = text.slice(0, MAX_LIST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
  return `${open}${kept}${close} ... [${kept.length} of ${text.length} characters; ${readsOn} shows the rest]`
}

/** Changes the texts of a value at any depth, in place, and returns it. Names of fields stay. Bodies and outputs are at most 32 levels deep. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  // An array is read by its indexes.
  const record = value as Record<string, unknown>
  for (const key of Object.keys(record)) {
    const child = record[key]
    if (typeof child === 'string' || (typeof child === 'object' && child !== null)) record[key] = mapTexts(child, change)
  }
  return value
}
