import { type FileHandle, open, rename } from 'node:fs/promises'
import type { Client } from '@earshot/contracts/client'
import { grouped } from '@earshot/contracts/constants'
import { type Invocation, prepare } from './invoke.ts'
import type { Operation } from './operation.ts'
import { jsonLine } from './printable.ts'
import { startProgress } from './progress.ts'
import { exportFrom } from './service.ts'
import { systemErrorMessage } from './system-error.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Characters that are written at once. */
const PIECE = 65_536

/** Text of an export, and how many records end in it. */
interface Piece {
  text: string
  count: number
}

/** Writes all records of a list to a file, or to the standard output. The file has its name only when it is complete. */
export async function exportRecords(invocation: Invocation): Promise<void> {
  const { operation, terminal, given } = invocation
  const { client, input } = await prepare(invocation)
  const out = typeof given.out === 'string' ? given.out : undefined
  const { format = out?.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson', ...query } = input
  const noun = operation.words.at(-1) ?? ''
  const records = exportFrom(client, operation, query)
  await using sink = await openSink(out, terminal)
  using progress = startProgress(terminal, noun, await totalOf(client, operation, query))
  let count = 0
  for await (const piece of format === 'csv' ? rowsOf(records.csv()) : linesOf(records)) {
    await sink.write(piece.text)
    count += piece.count
    progress.show(count)
  }
  await sink.complete()
  if (out) terminal.writeError(`Exported ${grouped(count)} ${noun} to ${out}.\n`)
}

async function* linesOf(records: AsyncIterable<object>): AsyncGenerator<Piece> {
  let piece: Piece = { text: '', count: 0 }
  for await (const record of records) {
    piece = { text: `${piece.text}${jsonLine(record)}\n`, count: piece.count + 1 }
    if (piece.text.length < PIECE) continue
    yield piece
    piece = { text: '', count: 0 }
  }
  yield piece
}

/** The rows of a CSV file are those that end outside of quotes. The first is the header. */
async function* rowsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  // The byte order mark belongs to the file.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let isQuoted = false
  let count = -1
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true })
    for (const [sign] of text.matchAll(/["\n]/g)) {
      if (sign === '"') isQuoted = !isQuoted
      else if (!isQuoted) count += 1
    }
    yield { text, count: Math.max(0, count) }
    count = Math.min(0, count)
  }
}

/** How many records the export will have, where the service counts them. */
async function totalOf(client: Client, { name }: Operation, query: Record<string, unknown>): Promise<number | undefined> {
  const { team_id, project_id, ...filters } = query
  if (name !== 'submissions.export' || Object.keys(filters).length > 0) return undefined
  const { pending, approved, rejected } = await client.submissions.counts({ team_id: String(team_id), project_id: String(project_id) })
  return pending + approved + rejected
}

interface Sink extends AsyncDisposable {
  write(text: string): Promise<void>
  complete(): Promise<void>
}

async function openSink(out: string | undefined, terminal: Terminal): Promise<Sink> {
  if (!out) return { write: terminal.writeAll, complete: async () => {}, [Symbol.asyncDispose]: async () => {} }
  const part = `${out}.part`
  const file: FileHandle = await named(part, () => open(part, 'w'))
  return {
    write: (text) => named(part, () => file.appendFile(text)),
    complete: () =>
      named(out, async () => {
        await file.sync()
        await rename(part, out)
      }),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** Tells a failure of the file system by the file's name. */
async function named<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    if (errno === undefined) throw error
    throw new UsageError(`cannot write ${file}: ${systemErrorMessage(errno)}`)
  }
}
