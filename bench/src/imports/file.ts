import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const HEADER = 'name,email,company,job_title,text,rating,date,external_id\r\n'
const PRAISE = [
  'It works well for our team, and our customers in Köln and 東京 love it: “so easy” is what they say.',
  'Setting it up took an afternoon, support replied within minutes, and nobody had to read the manual.',
  'We compared five tools, tried three, and kept this one; the naïve approach would have cost us weeks.',
]
const ROWS_PER_CHUNK = 500

/** Writes a CSV file of testimonials, about 460 bytes each, and returns its size. The prefix distinguishes their external ids. */
export async function writeImportFile(path: string, { rows, prefix = 'ID' }: { rows: number; prefix?: string }): Promise<number> {
  await pipeline(Readable.from(chunks(rows, prefix)), createWriteStream(path))
  return (await stat(path)).size
}

function* chunks(rows: number, prefix: string): Generator<string> {
  yield HEADER
  for (let first = 0; first < rows; first += ROWS_PER_CHUNK) {
    yield Array.from({ length: Math.min(ROWS_PER_CHUNK, rows - first) }, (_, index) => rowOf(first + index, prefix)).join('')
  }
}

function rowOf(number: number, prefix: string): string {
  const text = `Saved us a week, and then ""some"" more, number ${number}. ${PRAISE.join(' ')}`
  const date = `2026-${twoDigits(1 + (number % 12))}-${twoDigits(1 + (number % 28))}`
  const author = `Zoë Person ${number},person${number}@example.com,"Analytical Engines ${number % 1_000}, Inc.",Engineer`
  return `${author},"${text}",${1 + (number % 5)},${date},${prefix}-${number}\r\n`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
