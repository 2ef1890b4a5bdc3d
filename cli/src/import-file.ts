import { isUtf8 } from 'node:buffer'
import { type FileHandle, mkdtemp, open, rmdir, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { grouped, sizes } from '@earshot/contracts/constants'
import { systemErrorMessage } from './system-error.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const PIECE_BYTES = 262_144
const NAME_CHARACTERS = 200

/** A file to import. */
export interface ImportFile extends AsyncDisposable {
  name: string
  sizeBytes: number
  /** Returns the file as a field of a request; undefined if it is too large for one, or not UTF-8. */
  inlineText(): Promise<string | undefined>
  /** Opens a stream of its bytes. Calls back with how many are read. */
  stream(onRead: (bytes: number) => void): ReadableStream<Uint8Array>
}

/** Opens a file, or the standard input for `-`. Throws a UsageError for what cannot be imported. */
export async function openImportFile(path: string, { stdin }: Terminal): Promise<ImportFile> {
  if (path === '-') return described('stdin.csv', await spooled(stdin, 'the standard input'), 'the standard input')
  const name = Array.from(basename(path)).slice(0, NAME_CHARACTERS).join('')
  try {
    const handle = await open(path, 'r')
    const stats = await handle.stat()
    if (stats.isFile()) return await described(name, handle, path)
    await using _ = handle
    if (stats.isDirectory()) throw new UsageError(`${path} is a directory`)
    // A pipe, such as <(…) of a shell.
    return await described(name, await spooled(handle.createReadStream({ autoClose: false }), path), path)
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    if (errno === undefined) throw error
    throw new UsageError(`cannot read ${path}: ${systemErrorMessage(errno)}`)
  }
}

/** Copies what can be read only once into a temporary file, which is gone however the process ends. */
async function spooled(source: AsyncIterable<Uint8Array | string>, what: string): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'earshot-import-'))
  const path = join(directory, 'file.csv')
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  await rmdir(directory)
  return closedOnFailure(handle, async () => {
    let sizeBytes = 0
    for await (const chunk of source) {
      const bytes = Buffer.from(chunk)
      sizeBytes += bytes.length
      requireSize(sizeBytes, what)
      await handle.appendFile(bytes)
    }
    return handle
  })
}

function described(name: string, handle: FileHandle, what: string): Promise<ImportFile> {
  return closedOnFailure(handle, async () => {
    const { size: sizeBytes } = await handle.stat()
    if (sizeBytes === 0) throw new UsageError(`${what} is empty`)
    requireSize(sizeBytes, what)
    return {
      name,
      sizeBytes,
      inlineText: async () => (sizeBytes > sizes.importInlineBytes ? undefined : inlineText(await readAll(handle, sizeBytes))),
      stream: (onRead) => streamOf(handle, sizeBytes, onRead),
      [Symbol.asyncDispose]: () => handle.close(),
    }
  })
}

async function closedOnFailure<Result>(handle: FileHandle, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await handle.close()
    throw error
  }
}

function requireSize(sizeBytes: number, what: string): void {
  if (sizeBytes <= sizes.importBytes) return
  throw new UsageError(`${what} is larger than ${grouped(sizes.importBytes)} bytes; split it into several files`)
}

/** A request holds UTF-8 without NUL. Of a file in another encoding it would hold other bytes. */
function inlineText(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined
  const text = bytes.toString('utf8')
  // Control characters take six bytes in JSON.
  return Buffer.byteLength(JSON.stringify(text)) > 2 * sizes.importInlineBytes ? undefined : text
}

async function readAll(handle: FileHandle, sizeBytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sizeBytes), 0, sizeBytes, 0)
  return buffer.subarray(0, bytesRead)
}

function streamOf(handle: FileHandle, sizeBytes: number, onRead: (bytes: number) => void): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(PIECE_BYTES), 0, Math.min(PIECE_BYTES, sizeBytes - at), at)
        if (bytesRead === 0) return controller.close()
        at += bytesRead
        onRead(at)
        controller.enqueue(buffer.subarray(0, bytesRead))
      },
    },
    { highWaterMark: 0 },
  )
}
