import { sizes } from '@earshot/contracts'
import { expect, test } from 'vitest'
import { readRecords } from '../../../jobs/src/imports/records.ts'
import type { OpenFile } from '../../../jobs/src/imports/source.ts'
import { UnreadableFileError } from '../../../jobs/src/imports/unreadable-file.ts'
import { opening, problemOf, readAll, recognize } from './read.ts'

const MEGABYTE = 1_048_576

/** Why a file cannot be read. */
async function failureOf(bytes: Uint8Array | string, options = {}): Promise<string> {
  try {
    const { rows } = await readAll(opening(bytes), options)
    return `${rows.length} rows`
  } catch (error) {
    if (error instanceof UnreadableFileError) return `${error.failure}: ${error.message}`
    throw error
  }
}

/** A file that is made while it is read: its start, then one piece over and over. */
function endless(start: string, piece: Buffer, times: number, end = ''): { open: OpenFile; opened: { bytes: number } } {
  const opened = { bytes: 0 }
  return {
    opened,
    open: async function* (from = 0) {
      yield Buffer.from(start).subarray(from)
      for (let count = 0; count < times; count += 1) {
        opened.bytes += piece.length
        yield piece
      }
      yield Buffer.from(end)
    },
  }
}

test.each([
  ['a ZIP', Buffer.from('PK\x03\x04rest of an .xlsx', 'latin1'), 'an Excel workbook (.xlsx) or another ZIP file'],
  ['an .xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), 'an old Excel workbook (.xls)'],
  ['a PDF', '%PDF-1.7\n', 'a PDF'],
  ['a PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), 'a PNG image'],
  ['HTML', '\u{FEFF}\n<!DOCTYPE html><title>Sign in</title>', 'a web page (HTML)'],
  ['NDJSON', '{"id":"1","body":"text"}\n{"id":"2"}\n', 'JSON'],
  ['JSON', '[\n  {"id": 1}\n]', 'JSON'],
  ['random bytes', Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7_919) % 251)), 'not text'],
])('%s named .csv is refused by what it is', async (_name, bytes, format) => {
  expect(await failureOf(bytes)).toBe(`not_csv: The file is ${format}, whatever its name. Save or export it as CSV and import that.`)
})

test.each(['', '\u{FEFF}', ' \n\t\r\n  ', ',,,\n,,,\n', 'sep=;'])('a file of nothing but %j is empty', async (text) => {
  expect(await failureOf(text)).toBe('empty_file: The file is empty. Its first row must name the columns.')
})

test('a header without rows is a file of no rows', async () => {
  expect(await failureOf('name,text')).toBe('0 rows')
  expect(await failureOf('name,text\r\n\r\n,\r\n')).toBe('0 rows')
})

test('without a column for the text the file says what to do', async () => {
  expect(await failureOf('#,What?,Why?,Submit Date (UTC),Network ID\n1,a,b,,\n')).toBe(
    'no_mapping: No column is known to be the text. Name it in `mapping`, such as {"What?":"body"}. The columns are: “#”, “What?”, “Why?”, “Submit Date (UTC)”, “Network ID”.',
  )
  const many = Array.from({ length: 30 }, (_, index) => `c${index}`).join(',')
  expect(await failureOf(many)).toMatch(/“c19” and 10 more\.$/)
})

test('a mapping of columns that the file does not have names them', async () => {
  expect(await failureOf('name,text\n', { mapping: { Quote: 'body', constructor: 'title' } })).toBe(
    'unknown_column: The mapping names columns that the file does not have: “Quote”, “constructor”. Its columns are: “name”, “text”.',
  )
})

test('a column that is read stands once in the header, others may stand there twice', async () => {
  expect(await failureOf('text,name,Text ,text\n')).toBe(
    'duplicate_column: The header has more than one column of this name: “text”. Rename all but the one to read.',
  )
  expect(await failureOf('text,note,note,,\na,b,c\n')).toBe('1 rows')
  expect(await failureOf('text,note,note\na,b,c\n', { mapping: { note: 'title' } })).toMatch(/^duplicate_column: .*“note”/)
})

test('a header of 5,000 columns is refused', async () => {
  const columns = Array.from({ length: 5_000 }, (_, index) => `c${index}`)
  expect(await failureOf(columns.join(','))).toBe('too_many_columns: The header has 5000 columns. At most 1000 are read.')
})

test('names of columns that PostgreSQL or a mapping could not hold are cut', async () => {
  const { format } = await readAll(opening(`text,${'q'.repeat(300)},__proto__,a\0b\n1,2,3,4\n`), {
    mapping: { ['q'.repeat(200)]: 'title' },
  })
  expect(format.columns).toEqual(['text', 'q'.repeat(200), '__proto__', 'ab'])
})

test('all rows before a quote that is never closed are read, then the file says where it is', async () => {
  const open = opening('text\none\n\ntwo\n"three\nfour\n')
  const format = await recognize(open)
  const rows: number[] = []
  const read = async () => {
    for await (const { row } of readRecords(open, format, format.position)) rows.push(row)
  }
  await expect(read()).rejects.toMatchObject({
    failure: 'unclosed_quote',
    message: 'The row after row 2 (line 5) opens a quote that is never closed.',
  })
  expect(rows).toEqual([1, 2])
  expect(await failureOf('"text\n1\n')).toBe('unclosed_quote: The header opens a quote that is never closed.')
})

test('stray quotes are text', async () => {
  const { rows } = await readAll(opening('text,name\n6" screen,"Bo" Derek\n"a ""b"" c",x\n'))
  expect(rows.map(({ text }) => text)).toEqual(['6" screen | "Bo" Derek', 'a "b" c | x'])
})

test('a cell of 10 MB fails its row, and the others are read', async () => {
  const { open } = endless('text,name\none,a\n"', Buffer.alloc(MEGABYTE, 'x,\n'), 10, '",b\nthree,c\n')
  const { rows } = await readAll(open)
  expect(rows.map(problemOf)).toEqual([
    null,
    { column: 'text', code: 'too_big', detail: `body must be 1 to ${sizes.bodyCharacters} characters long` },
    null,
  ])
  expect(rows[1]?.text).toHaveLength(sizes.importRowTextCharacters)
})

test.each([
  ['of one cell', Buffer.alloc(65_536, 'x')],
  ['in quotes', Buffer.alloc(65_536, '"x')],
  ['of commas', Buffer.alloc(65_536, ',')],
])('a line of 50 MB %s ends the import, after little of it is read into memory', async (_name, piece) => {
  const { open, opened } = endless('text,name\none,a\n', piece, 800)
  const format = await recognize(open)
  opened.bytes = 0
  const before = process.memoryUsage().rss
  const read = () => Array.fromAsync(readRecords(open, format, format.position))
  await expect(read()).rejects.toMatchObject({
    failure: 'row_too_large',
    message: expect.stringMatching(/^The row after row 1 \(line 3\) has /),
  })
  expect(opened.bytes).toBeLessThan(36 * MEGABYTE)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * MEGABYTE)
})

test('what PostgreSQL cannot store fails its row', async () => {
  const { rows } = await readAll(opening('text,name,metadata\na\0b,x,\nc,y,"{""a"":""\\u0000""}"\nd,z,"{""a"":""\\ud800""}"\ne,\0f,\n'))
  expect(rows.map((row) => problemOf(row)?.detail)).toEqual([
    'body must not contain NUL',
    'metadata must not contain NUL or half a character',
    'metadata must not contain NUL or half a character',
    'author.name must not contain NUL',
  ])
  for (const { text } of rows) expect(text).not.toContain('\0')
})

test('an error quotes no cell, and the row keeps its e-mail address for erasure', async () => {
  const long = `${'a'.repeat(288)}@example.com`
  const { rows } = await readAll(opening(`text,email\nx,${long}\n,ADA@Example.com \ny,not an address\n`))
  expect(rows.map(problemOf)).toEqual([
    { column: 'email', code: 'too_big', detail: 'author.email must have at most 254 characters' },
    { column: 'text', code: 'required', detail: 'body must not be empty' },
    { column: 'email', code: 'invalid_format', detail: 'author.email must be an e-mail address' },
  ])
  expect(rows.map(({ email }) => email)).toEqual([null, 'ada@example.com', 'not an address'])
})

test('formulas of others are texts like any other', async () => {
  const { rows } = await readAll(opening(`text,name\n=1+1,'=2\n@me,-x\n`))
  expect(rows.map(({ content }) => 'record' in content && [content.record.body, content.record.author.name])).toEqual([
    ['=1+1', "'=2"],
    ['@me', '-x'],
  ])
})

test('an excerpt must be in the body, and a cell must fit its field', async () => {
  const { rows } = await readAll(
    opening(
      `text,excerpt,title,tags\nSaved us a week,a week,,\nSaved us a week,a month,,\nx,,${'t'.repeat(201)},\nx,,,${'g'.repeat(51)}\n`,
    ),
  )
  expect(rows.map(problemOf)).toEqual([
    null,
    { column: 'excerpt', code: 'not_verbatim', detail: 'excerpt must be a verbatim part of the body' },
    { column: 'title', code: 'too_big', detail: 'title must be 0 to 200 characters long' },
    { column: 'tags', code: 'too_big', detail: 'tags must be 1 to 50 characters long' },
  ])
})
