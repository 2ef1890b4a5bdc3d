import { readRows } from './csv.ts'
import { UnreadableFileError } from './unreadable-file.ts'

const SAMPLE_ROWS = 50
const DELIMITERS = [',', ';', '\t', '|'] as const
/** Excel's own way to name the delimiter, on a line before the header. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(\r\n|\n|\r|$)/iu

/** Returns the delimiter that the first line of a text names, and the bytes of that line. */
export function readSeparatorLine(text: string): { delimiter: string; bytes: number } | null {
  const [line, delimiter] = SEPARATOR_LINE.exec(text) ?? []
  return line === undefined || delimiter === undefined ? null : { delimiter, bytes: Buffer.byteLength(line) }
}

/** Chooses the delimiter that makes most rows at the start of a file as wide as its header, and the header wide. */
export async function detectDelimiter(start: Buffer): Promise<string> {
  let best = { delimiter: ',' as string, score: 0 }
  for (const delimiter of DELIMITERS) {
    const score = await scoreOf(start, delimiter)
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** The share of rows as wide as the header, weighed by that width. */
async function scoreOf(start: Buffer, delimiter: string): Promise<number> {
  const widths: number[] = []
  try {
    for await (const { cells } of readRows(once(start), delimiter, { records: 0, bytes: 0, lines: 0 })) {
      if (widths.push(cells.length) >= SAMPLE_ROWS) break
    }
  } catch (error) {
    // The start of a file may end within quotes.
    if (!(error instanceof UnreadableFileError)) throw error
  }
  const [width = 0] = widths
  return width === 0 ? 0 : (widths.filter((one) => one === width).length / widths.length) * Math.log2(width)
}

async function* once(start: Buffer): AsyncGenerator<Buffer> {
  yield start
}
