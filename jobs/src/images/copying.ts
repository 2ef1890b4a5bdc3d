import { type ClaimedImage, claimImage, type Database, hasDueImages } from '@earshot/db'
import {
  createAddressRules,
  type EgressProxy,
  findImageConverter,
  type ImageConverter,
  type OwnAddresses,
  type ResolveName,
  resolveName,
  settleWithin,
} from '@earshot/drivers'
import { Counter, Registry } from 'prom-client'
import { startLoop } from '../dispatcher/loop.ts'
import type { Log } from '../log.ts'
import { createPinnedConnector, type PinnedConnector } from '../sending/pinned-connector.ts'
import { copyImage } from './copy-image.ts'
import { fetchImage } from './fetch-image.ts'

const POLL_MS = 60_000
const RETRY_MS = 60_000
/** After it found nothing to convert images with. */
const WAIT_MS = 60_000
const CONNECT_TIMEOUT_MS = 8_000
/** A conversion may take 1.2 GB of memory. When it kills its worker, no other image is in it that would be blamed. */
const CONCURRENCY = 1

export interface ImageCopyingOptions {
  database: Database
  log: Log
  /** Where files are while they are worked on. */
  folder: string
  /** Which addresses may be reached: as for webhooks. */
  network: {
    allowNetworks: readonly string[]
    /** Whether images may be on this machine. */
    localTrial: boolean
    ownAddresses: OwnAddresses
    version: string
    proxy?: EgressProxy | null
    resolve?: ResolveName
  }
  /** The pause after the first failure; a minute unless given. */
  retryMs?: number
  /** The time for one fetch; ten seconds unless given. */
  timeoutMs?: number
  /** How often it looks for images without a nudge; each minute unless given. */
  pollMs?: number
  /** Looks for what this machine converts images with. */
  findConverter?: typeof findImageConverter
  registry?: Registry
}

export interface ImageCopying {
  /** Images wait. */
  nudge: () => void
  /** Ends the copies that are being made: others make them. */
  stop: (limits: { timeoutMs: number }) => Promise<void>
}

/**
 * Copies images of other sites as their teams' turn comes. A worker claims one for two minutes; one that dies leaves it to the next. The
 * converter is looked for when the first image waits.
 */
export function startImageCopying(options: ImageCopyingOptions): ImageCopying {
  const { database } = options
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const connector = createConnector(options.network)
  const copy = createCopier(options, connector, stopping.signal)
  const requireConverter = seekConverter(options)
  let converter: ImageConverter | null = null
  let served: string | null = null
  let waitUntil = 0

  /** Returns whether it began a copy. */
  async function beginNext(): Promise<boolean> {
    if (performance.now() < waitUntil || running.size >= CONCURRENCY) return false
    if (converter === null && !(await hasDueImages(database))) return false
    converter ??= await requireConverter()
    if (stopping.signal.aborted) return false
    if (!converter) {
      waitUntil = performance.now() + WAIT_MS
      return false
    }
    const image = await claimImage(database, { served })
    if (!image) return false
    served = image.team_id
    const ended = copy(image, converter).finally(() => {
      running.delete(ended)
      loop.nudge()
    })
    running.add(ended)
    return true
  }

  const work = async () => ((await beginNext()) ? 0 : (options.pollMs ?? POLL_MS))
  const loop = startLoop({ name: 'Copying images', work, log: options.log })

  return {
    nudge: loop.nudge,
    async stop({ timeoutMs }) {
      stopping.abort()
      connector.close()
      const ended = loop.stop().then(() => Promise.all(running))
      await settleWithin(timeoutMs, ended, null)
    },
  }
}

/** Returns a function that makes a copy, counts how that ended, and never throws. */
function createCopier(options: ImageCopyingOptions, connector: PinnedConnector, stopping: AbortSignal) {
  const { database, log, folder, network, retryMs = RETRY_MS, timeoutMs, registry = new Registry() } = options
  const finished = new Counter({
    name: 'earshot_image_copies_total',
    help: 'Images of other sites that were copied, by outcome',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const userAgent = `Earshot-Images/${network.version}`
  const fetch = (url: string, signal: AbortSignal) =>
    fetchImage(url, { connector, signal, userAgent, ...(timeoutMs !== undefined && { timeoutMs }) })

  return async (image: ClaimedImage, converter: ImageConverter): Promise<void> => {
    try {
      finished.inc({ outcome: await copyImage(image, { database, log, converter, folder, retryMs, stopping, fetchImage: fetch }) })
    } catch (error) {
      log.error({ err: error }, 'The end of a copy of an image was not recorded; another attempt will follow')
    }
  }
}

/** As deliveries of webhooks connect. Both http and https: an image is public, and nothing secret is sent. */
function createConnector({ allowNetworks, localTrial, ownAddresses, proxy = null, resolve = resolveName }: ImageCopyingOptions['network']) {
  return createPinnedConnector({
    rules: createAddressRules({ allowNetworks, allowLoopback: localTrial }),
    ...{ ownAddresses, resolve, proxy, connectTimeoutMs: CONNECT_TIMEOUT_MS, directLoopback: localTrial },
  })
}

/** Returns a function that looks for a converter. That there is none is logged once; until one is there, pages show initials. */
function seekConverter({ findConverter = findImageConverter, log }: ImageCopyingOptions): () => Promise<ImageConverter | null> {
  let isMissing = false
  return async () => {
    const found = await findConverter()
    if ('converter' in found) return found.converter
    if (!isMissing)
      log.error({ missing: found.missing }, 'Images are waiting to be copied, but this machine has nothing to convert them with')
    isMissing = true
    return null
  }
}
