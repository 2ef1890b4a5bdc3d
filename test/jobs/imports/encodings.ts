/** What makes the bytes of a file of the text of a fixture: programs differ in encodings and line ends, and git keeps neither. */
export type Encode = (text: string) => Buffer

export const utf8: Encode = (text) => Buffer.from(text)
const withCrlf = (text: string) => text.replaceAll('\n', '\r\n')
export const excelUtf8: Encode = (text) => Buffer.from(`\u{FEFF}${withCrlf(text)}`)
export const excelUnicode: Encode = (text) => Buffer.from(`\u{FEFF}${withCrlf(withTabs(text))}`, 'utf16le')
export const bigEndian: Encode = (text) => Buffer.from(`\u{FEFF}${text}`, 'utf16le').swap16()
export const unmarkedUtf16: Encode = (text) => Buffer.from(text, 'utf16le')
export const mac: Encode = (text) => Buffer.from(text.replaceAll('\n', '\r'))
export const named: Encode = (text) => Buffer.from(`\u{FEFF}sep=;\r\n${withCrlf(text)}`)
/** Plain rows first, as many as the start of a file has from which it is recognized. */
export const late: Encode = (text) => Buffer.from(text.replace(/^(Plain.*\n)/m, (row) => row.repeat(10_000)))

/** Of the characters that Windows-1252 has and Latin-1 has not, those in the fixtures. */
const WINDOWS_1252 = new Map([...'€„–“'].map((character, index) => [character, [0x80, 0x84, 0x96, 0x93][index] ?? 0]))
export const germanExcel: Encode = (text) =>
  Buffer.from(Array.from(withCrlf(text), (character) => WINDOWS_1252.get(character) ?? character.charCodeAt(0)))

/** The fixture has no comma in a cell. */
function withTabs(text: string): string {
  return text.replaceAll(',', '\t')
}
