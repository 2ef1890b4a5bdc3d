/** How files begin that people take for CSV, and what they are. */
const BINARY_FORMATS: readonly (readonly [start: string, name: string])[] = [
  ['PK\x03\x04', 'an Excel workbook (.xlsx) or another ZIP file'],
  ['PK\x05\x06', 'an empty ZIP file'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook (.xls)'],
  ['%PDF-', 'a PDF'],
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['\x1f\x8b', 'a gzip file'],
  ['{\\rtf', 'an RTF document'],
]
const TEXT_FORMATS: readonly (readonly [start: RegExp, name: string])[] = [
  [/^\s*<(!doctype html|html|head|body|table)\b/i, 'a web page (HTML)'],
  [/^\s*<(\?xml|[a-z]+:)/i, 'XML'],
  [/^\s*(\{\s*["}]|\[\s*[[\]{"])/, 'JSON'],
]
/** Of the characters at the start of a text: more of them are no text. */
const MAX_CONTROLS = 1 / 20

/** Names the format of a file that is no text, by how it begins; null if it may be text. */
export function binaryFormatOf(start: Buffer): string | null {
  const text = start.toString('latin1', 0, 16)
  return BINARY_FORMATS.find(([begin]) => text.startsWith(begin))?.[1] ?? null
}

/** Names the format of a text that is no table, by how it begins; null if it may be CSV. */
export function textFormatOf(start: string): string | null {
  const format = TEXT_FORMATS.find(([begin]) => begin.test(start))
  if (format) return format[1]
  const controls = start.match(/(?![\t\n\r])[\p{Cc}\u{FFFD}]/gu)?.length ?? 0
  return controls > start.length * MAX_CONTROLS ? 'not text' : null
}
