import { type Database, type ImportRow, importRefOf, readImportFile } from '@earshot/db'
import type { BlobStore } from '@earshot/drivers'
import type { OpenFile } from './source.ts'

/** Files that come with their request are handed to the reader in pieces, as others come from the store. */
const CHUNK_BYTES = 65_536

/** The file of an import is not there. */
export class MissingFileError extends Error {
  override readonly name = 'MissingFileError'
}

/** Returns how to open the file of an import, which lies in the database or in the blob store. Throws MissingFileError. */
export async function openFile(database: Database, blobStore: BlobStore, row: ImportRow): Promise<OpenFile> {
  const { file_key: key } = row
  if (key !== null) return (from = 0) => blobBytes(blobStore, key, from)
  const bytes = await readImportFile(database, importRefOf(row))
  if (bytes === null) throw new MissingFileError('The file of the import is not kept any more.')
  return (from = 0) => chunksOf(bytes.subarray(from))
}

async function* blobBytes(blobStore: BlobStore, key: string, start: number): AsyncGenerator<Uint8Array> {
  const blob = await blobStore.get(key, { start })
  if (blob === null) throw new MissingFileError('The file of the import is not kept any more.')
  yield* blob.bytes
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}
