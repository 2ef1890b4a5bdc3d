import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BlobRange, type BlobStore, BlobStoreError, isKeyPart, type PutOptions, requireKey } from './blob-store.ts'
import { toBlobStream } from './blob-stream.ts'
import { readExactly, unwrapSourceFailure } from './exact-source.ts'
import { isMissing, toFileFailure } from './file-failure.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600
const CHUNK_BYTES = 65_536
/** A part takes four flushes to the disk, whatever its size. */
const PART_BYTES = 16 * 1_024 * 1_024
/** No key has a part that starts with a dot. */
const TEMPORARY = '.tmp'
const LEFTOVER_AGE_MS = 86_400_000

/**
 * Opens a store in a directory, which is created if there is none. Its files are written under temporary names, flushed to
 * the disk and renamed, so a crash leaves whole blobs. Any number of processes can share the directory.
 */
export async function openFileStore(directory: string): Promise<BlobStore> {
  const temporary = join(directory, TEMPORARY)
  await failing(directory, () => mkdir(temporary, { recursive: true, mode: DIRECTORY_MODE }))
  const pathOf = (key: string) => join(directory, requireKey(key))
  return {
    name: directory,
    partBytes: PART_BYTES,
    put: async (key, source, options) => {
      const target = { path: pathOf(key), temporary: join(temporary, randomUUID()) }
      await failing(directory, () => write(target, source, options)).catch((error) => {
        throw unwrapSourceFailure(error)
      })
    },
    get: async (key, range = {}) => {
      const path = pathOf(key)
      return failing(directory, () => read(directory, path, range))
    },
    size: async (key) => {
      const path = pathOf(key)
      const found = await failing(directory, () => stat(path).catch(nullIfMissing))
      return found?.isFile() ? found.size : null
    },
    delete: async (key) => {
      const path = pathOf(key)
      await failing(directory, () => remove(path))
    },
    list: (prefix) => listKeys(directory, prefix),
    removeLeftovers: () => failing(directory, () => removeOld(temporary)),
    check: () => failing(directory, () => checkDirectory(directory)),
    close: async () => {},
  }
}

/** Throws the store's own errors. */
async function failing<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toFileFailure(error, directory)
  }
}

async function write(target: { path: string; temporary: string }, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<void> {
  const directory = dirname(target.path)
  try {
    await writeFlushed(target.temporary, readExactly(source, options))
    await makeDirectory(directory)
    await rename(target.temporary, target.path)
  } catch (error) {
    await rm(target.temporary, { force: true }).catch(() => {})
    throw error
  }
  // Without it, a crash of the machine could undo the rename.
  await flushDirectory(directory)
}

async function writeFlushed(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE)
  try {
    await file.writeFile(chunks)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Creates a directory and flushes the entries of what it created. */
async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: DIRECTORY_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushDirectory(dirname(made))
}

async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

async function read(directory: string, path: string, { start = 0, end = Number.POSITIVE_INFINITY, signal }: BlobRange) {
  const file = await open(path).catch(nullIfMissing)
  if (file === null) return null
  try {
    const found = await file.stat()
    if (!found.isFile()) return await file.close().then(() => null)
    const chunks = readChunks(file, start, Math.min(end, found.size))
    const toFailure = (error: unknown) => toFileFailure(error, directory)
    return { sizeBytes: found.size, bytes: toBlobStream(chunks, { close: () => file.close(), toFailure, signal }) }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function* readChunks(file: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position))
    const { bytesRead } = await file.read(chunk, { position })
    // Files of blobs are replaced, never changed.
    if (bytesRead === 0) throw new BlobStoreError('unavailable', 'The file of a blob became shorter while it was read.')
    position += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

async function remove(path: string): Promise<void> {
  const isThere = await unlink(path).then(() => true, nullIfMissing)
  if (isThere) await flushDirectory(dirname(path))
}

async function* listKeys(directory: string, prefix: string, folder = ''): AsyncGenerator<string> {
  const entries = await failing(directory, () => opendir(join(directory, folder)).catch(nullIfMissing))
  if (entries === null) return
  try {
    for await (const entry of entries) {
      const key = folder + entry.name
      // What is no part of a key is not ours: temporary files, lost+found.
      if (!isKeyPart(entry.name)) continue
      if (entry.isFile() && key.startsWith(prefix)) yield key
      if (entry.isDirectory() && mayHold(`${key}/`, prefix)) yield* listKeys(directory, prefix, `${key}/`)
    }
  } catch (error) {
    throw toFileFailure(error, directory)
  }
}

/** Whether a folder can have keys with the prefix. */
function mayHold(folder: string, prefix: string): boolean {
  return folder.startsWith(prefix) || prefix.startsWith(folder)
}

async function removeOld(temporary: string): Promise<void> {
  const oldest = Date.now() - LEFTOVER_AGE_MS
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name)
    const found = await stat(path).catch(nullIfMissing)
    if (found && found.mtimeMs < oldest) await rm(path, { force: true })
  }
}

async function checkDirectory(directory: string): Promise<void> {
  await access(join(directory, TEMPORARY), constants.R_OK | constants.W_OK | constants.X_OK)
  const { bavail } = await statfs(directory)
  if (bavail === 0) throw new BlobStoreError('full', `The directory ${directory} has no space left.`)
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}
