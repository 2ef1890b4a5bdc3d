import { createReadStream, openAsBlob } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { VideoFile } from '@earshot/contracts/client'
import { sizes } from '@earshot/contracts/constants'
import { systemErrorMessage } from './system-error.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const TYPES: Record<string, string> = {
  '.avi': 'video/x-msvideo',
  '.m4v': 'video/mp4',
  '.mkv': 'video/x-matroska',
  '.mov': 'video/quicktime',
  '.mp4': 'video/mp4',
  '.ogv': 'video/ogg',
  '.webm': 'video/webm',
}

/** A video to upload. */
export interface OpenedVideo {
  name: string
  /** Media type, by the extension. */
  type: string
  file: VideoFile
  /** Null for what can be read only once. */
  sizeBytes: number | null
  /** What tells it from other files, and from itself after a change; null for what can be read only once. */
  identity: string | null
}

/** Opens a file, or the standard input for `-`. Throws a UsageError for what cannot be read. */
export async function openVideo(path: string, { stdin }: Terminal): Promise<OpenedVideo> {
  if (path === '-') return once('video', stdin)
  const name = Array.from(basename(path)).slice(0, sizes.fileNameCharacters).join('')
  try {
    await using handle = await open(path, 'r')
    const stats = await handle.stat()
    if (stats.isDirectory()) throw new UsageError(`${path} is a directory`)
    // A pipe, such as <(…) of a shell.
    if (!stats.isFile()) return once(name, createReadStream(path))
    if (stats.size === 0) throw new UsageError(`${path} is empty`)
    const identity = [await realpath(path), stats.size, stats.mtimeMs].join(' ')
    return { name, type: typeOf(name), file: await openAsBlob(path), sizeBytes: stats.size, identity }
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    if (errno === undefined) throw error
    throw new UsageError(`cannot read ${path}: ${systemErrorMessage(errno)}`)
  }
}

function once(name: string, source: AsyncIterable<Uint8Array | string>): OpenedVideo {
  return { name, type: typeOf(name), file: ReadableStream.from(bytesOf(source)), sizeBytes: null, identity: null }
}

async function* bytesOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) yield Buffer.from(chunk)
}

function typeOf(name: string): string {
  return TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'
}
