import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { systemErrorMessage } from './system-error.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Returns the bytes of a file; `-` is the standard input. Throws a UsageError when they cannot be read. */
export async function readSource(file: string, { stdin }: Pick<Terminal, 'stdin'>): Promise<Buffer> {
  try {
    return file === '-' ? await readAll(stdin) : await readFile(file)
  } catch (error) {
    const { errno, message } = error as NodeJS.ErrnoException // What files and streams throw.
    const reason = errno === undefined ? message : systemErrorMessage(errno)
    throw new UsageError(`cannot read ${file === '-' ? 'the standard input' : file}: ${reason}`)
  }
}

/** Returns the text of a file. Throws a UsageError when it is not UTF-8. */
export async function readText(file: string, terminal: Pick<Terminal, 'stdin'>): Promise<string> {
  const bytes = await readSource(file, terminal)
  if (!isUtf8(bytes)) throw new UsageError(`${file === '-' ? 'the standard input' : file} is not text in UTF-8`)
  return bytes.toString('utf8')
}

/** Returns all bytes of a stream. */
export async function readAll(stream: Terminal['stdin']): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
