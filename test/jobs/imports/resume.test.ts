import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excelUnicode, mac, named } from './encodings.ts'
import { fixture, opening, readAll, readFrom, recognize } from './read.ts'

const ENDS = ['\n', '\r\n', '\r'] as const

/** Cells with what CSV makes hard: quotes, delimiters, all line ends, characters of any width, white space, nothing. */
const cell = fc.oneof(
  fc.constantFrom('', ' ', 'a', '"', '""', 'x"y', ',', ';', '\n', '\r\n', '\r', 'ü', '🎉', '\u{FEFF}', '=1+1', "'"),
  fc.array(fc.constantFrom('a', 'ß', '🎉', '"', ',', ';', '\n', '\r\n', '\r', ' ', '世'), { maxLength: 12 }).map((parts) => parts.join('')),
)
const file = fc.record({
  rows: fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
  end: fc.constantFrom(...ENDS),
  blank: fc.nat(3),
  isQuoted: fc.boolean(),
  encoding: fc.constantFrom('utf8' as const, 'utf16le' as const),
  start: fc.constantFrom('', '\u{FEFF}', 'sep=,\r\n', '\u{FEFF}sep=,\n'),
  sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
})

function bytesOf({ rows, end, blank, isQuoted, encoding, start }: Omit<Parameters<Parameters<typeof file.map>[0]>[0], 'sizes'>): Buffer {
  const quoted = (text: string) => (isQuoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const lines = [['text', 'email', 'tags'], ...rows].map((cells) => cells.map(quoted).join(','))
  // UTF-16 without a mark is recognized by its zeros, of which few characters have few.
  const marked = encoding === 'utf16le' && !start.startsWith('\u{FEFF}') ? `\u{FEFF}${start}` : start
  return Buffer.from(`${marked}${lines.join(end + (blank > 0 ? end : ''))}${end.repeat(blank)}`, encoding)
}

test('any chunks, and reading on at any position, give the rows of one read of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(file, async ({ sizes, ...parts }) => {
      const bytes = bytesOf(parts)
      const whole = await readAll(opening(bytes))
      const open = opening(bytes, sizes)
      const inChunks = await readAll(open)
      expect(inChunks).toEqual(whole)
      const positions = [whole.format.position, ...whole.rows.map(({ position }) => position)]
      for (const [index, position] of positions.entries()) {
        const rest = await readFrom(open, whole.format, position)
        expect(rest).toEqual(whole.rows.slice(index))
      }
    }),
    { numRuns: 100 },
  )
})

test('cells come back as they were written, and rows know their lines', async () => {
  await fc.assert(
    fc.asyncProperty(file, async ({ sizes, ...parts }) => {
      const { rows } = await readAll(opening(bytesOf({ ...parts, end: '\n', blank: 0 }), sizes))
      const written = parts.rows.filter((cells) => cells.some((text) => text.trim() !== ''))
      expect(rows.map(({ text }) => text)).toEqual(written.map((cells) => cells.join(' | ')))
      let line = parts.start.includes('sep') ? 2 : 1
      const ends: number[] = []
      for (const cells of parts.rows) {
        line += 1 + (cells.join(',').match(/\r\n|\r|\n/g)?.length ?? 0)
        if (written.includes(cells)) ends.push(line)
      }
      expect(rows.map(({ position }) => position.lines)).toEqual(ends)
    }),
    { numRuns: 300 },
  )
})

test.each([
  { name: 'table.csv', encode: excelUnicode },
  { name: 'table.csv', encode: mac },
  { name: 'trustpilot-old.csv', encode: named },
])('$name is read on behind its first row', async ({ name, encode }) => {
  const open = opening(encode(fixture(name)), [7])
  const format = await recognize(open)
  const [first, ...rest] = await readFrom(open, format, format.position)
  if (!first) throw new Error('no row')
  expect(first).toMatchObject({ row: 1, position: { records: 2 } })
  expect(await readFrom(open, format, first.position)).toEqual(rest)
})
