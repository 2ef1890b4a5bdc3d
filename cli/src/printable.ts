import stringWidth from 'fast-string-width'

// Terminal commands hide in C0 and C1 characters (ECMA-48), reversed text in the bidirectional controls (Unicode TR9).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g
/** Those that `JSON.stringify` does not escape. */
const UNPRINTABLE_IN_JSON = /[\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

/** Most text of most lists. Each character is one column wide. */
const ASCII = /^[ -~]*$/

/** Returns text that is safe on a terminal, without control characters other than line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '')
}

/** Returns printable text in one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).trim()
}

/** Returns the columns of a terminal that text takes. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text)
}

/** Cuts text to at most `width` columns of a terminal, ending in … */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (ASCII.test(text)) return `${text.slice(0, width - 1).trimEnd()}…`
  let result = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(result + segment) >= width) break
    result += segment
  }
  return `${result.trimEnd()}…`
}

/** Returns JSON that is safe on a terminal: control characters are escaped. */
export function jsonText(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2))
}

/** Returns the same in one line. */
export function jsonLine(value: unknown): string {
  return escaped(JSON.stringify(value))
}

function escaped(json: string): string {
  return json.replace(UNPRINTABLE_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
