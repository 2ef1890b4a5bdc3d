import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { type ImageFailure, sizes } from '@earshot/contracts'
import {
  type ClaimedImage,
  type Database,
  failImage,
  finishImage,
  forgetImages,
  handImageBack,
  type MadeImage,
  postponeImage,
} from '@earshot/db'
import { type ImageConverter, TranscodeError } from '@earshot/drivers'
import type { Log } from '../log.ts'
import { makeWorkFolder } from '../transcoding/work-folder.ts'
import { FetchFailure } from './fetch-image.ts'

/** Fails for good after so many. */
const MAX_ATTEMPTS = 5
const VERSION_CHARACTERS = 32

export interface CopyOptions {
  database: Database
  log: Log
  converter: ImageConverter
  /** Where files are while they are worked on. */
  folder: string
  fetchImage: (url: string, signal: AbortSignal) => Promise<Buffer>
  /** The worker stops. */
  stopping: AbortSignal
  /** The pause after the first failure; four times that after each next one. */
  retryMs: number
}

/** How a copy ended, for the metrics. */
export type CopyOutcome = 'ready' | 'failed' | 'retried' | 'lost'

/**
 * Copies an image that was claimed, and records how that ended. Nothing is recorded once another attempt has it. One that must not be
 * fetched any more is ended instead.
 */
export async function copyImage(image: ClaimedImage, options: CopyOptions): Promise<CopyOutcome> {
  const { database, stopping } = options
  if (!image.is_there) {
    await forgetImages(database, image)
    return 'lost'
  }
  // Workers died of it, or it would have failed before.
  if (image.attempts > MAX_ATTEMPTS) {
    await failImage(database, image, 'failed')
    return 'failed'
  }
  try {
    const made = await make(image, options)
    return (await finishImage(database, image, made)) ? 'ready' : 'lost'
  } catch (error) {
    if (stopping.aborted) {
      await handImageBack(database, image)
      return 'lost'
    }
    return recordFailure(error, image, options)
  }
}

async function make(
  { source_url, kind }: ClaimedImage,
  { converter, folder, fetchImage, stopping: signal }: CopyOptions,
): Promise<MadeImage> {
  const bytes = await fetchImage(source_url, signal)
  const own = await makeWorkFolder(folder)
  try {
    const isAvatar = kind === 'avatar'
    const maxSide = isAvatar ? sizes.avatarPixels : sizes.logoPixels
    const copy = await converter.convert({ bytes, folder: own, maxSide, isSquare: isAvatar, signal })
    return { ...copy, version: createHash('sha256').update(copy.bytes).digest('hex').slice(0, VERSION_CHARACTERS) }
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

async function recordFailure(error: unknown, image: ClaimedImage, { database, log, retryMs }: CopyOptions): Promise<CopyOutcome> {
  const { code, isFinal, isOurs } = failureOf(error)
  const { team_id, owner_id, attempts } = image
  if (isOurs) log.warn({ err: error, team_id, owner_id }, 'An image could not be copied')
  if (isFinal || attempts >= MAX_ATTEMPTS) {
    await failImage(database, image, code)
    return 'failed'
  }
  await postponeImage(database, image, { waitMs: retryMs * 4 ** (attempts - 1), code })
  return 'retried'
}

/** The names of what other machines and strangers' files do; everything else is ours. */
function failureOf(error: unknown): { code: ImageFailure; isFinal: boolean; isOurs: boolean } {
  if (error instanceof FetchFailure) return { code: error.code, isFinal: error.isFinal, isOurs: false }
  if (error instanceof TranscodeError && error.isFinal)
    return { code: error.code === 'unsupported_media' ? 'unsupported_format' : 'damaged', isFinal: true, isOurs: false }
  return { code: 'failed', isFinal: false, isOurs: true }
}
