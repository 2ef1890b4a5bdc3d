import { randomBytes } from 'node:crypto'
import { ownNames } from '@earshot/contracts'
import type { Tool } from './tools.ts'

/** Longer texts of a list are cut: another call shows them whole. */
const MAX_LIST_CHARACTERS = 1_000
const LIMIT_ONE_CALL = 'a call with limit 1 and the cursor of this page'
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
 * stranger cannot close, and so do the names that they gave to metadata; long texts of lists are cut, with the call that shows the rest.
 */
export function present(output: unknown, { isList, readsOn, replaceWords, name }: Tool, limit: unknown): unknown {
  const number = randomBytes(4).toString('hex')
  const open = `<strangers-${number}>`
  // A list of records that no tool shows alone shows one of them whole.
  const readsAlone = isList && limit !== 1 ? LIMIT_ONE_CALL : null
  const cut = isList || name === 'surveys_results' ? (readsOn ?? readsAlone) : null
  const mark = (text: string) => (text === '' ? text : shorten(visible(text), cut, [open, `</strangers-${number}>`]))
  replaceWords?.(output, (field, schema) => mapNames(mapTexts(field, mark), mark, ownNames.get(schema)?.levels))
  return mapTexts(output, (text) => (text.startsWith(open) ? text : shorten(visible(text), cut)))
}

/** Removes the markers that a model copied from a result into arguments. */
export function withoutMarkers(args: Record<string, unknown>): Record<string, unknown> {
  const withoutMarker = (text: string) => text.replaceAll(MARKER, '')
  return mapNames(mapTexts(args, withoutMarker), withoutMarker) as Record<string, unknown>
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

/**
 * Changes the names of fields below the first levels that are kept, in place where the names stay. Of fields that get the same name,
 * the later ones are told apart by an underscore.
 */
function mapNames(value: unknown, change: (name: string) => string, kept = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  // An array is read by its indexes, and has no name of its own.
  const isArray = Array.isArray(value)
  if (isArray || kept > 0) return mapChildren(value, (child) => mapNames(child, change, isArray ? kept : kept - 1))
  const fields = new Map<string, unknown>()
  for (const [name, child] of Object.entries(value)) {
    let changed = change(name)
    while (fields.has(changed)) changed += '_'
    fields.set(changed, mapNames(child, change))
  }
  return Object.fromEntries(fields)
}

/** Changes the texts of a value at any depth, in place, and returns it. Names of fields stay. Bodies and outputs are at most 32 levels deep. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  return typeof value === 'object' && value !== null ? mapChildren(value, (child) => mapTexts(child, change)) : value
}

/** Changes the texts and objects in an object or an array, in place, and returns it. */
function mapChildren(value: object, change: (child: unknown) => unknown): object {
  // An array is read by its indexes.
  const record = value as Record<string, unknown>
  for (const key of Object.keys(record)) {
    const child = record[key]
    if (typeof child === 'string' || (typeof child === 'object' && child !== null)) record[key] = change(child)
  }
  return value
}
