import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { BlobSizeError, type BlobStore, BlobStoreError, openFileStore } from '@earshot/drivers'

/**
 * Runs in a mount namespace of its own. Puts blobs on a disk of one megabyte until it is full, and then on the same disk when
 * it can only be read. Prints what came of it.
 */
const [, , directory = ''] = process.argv
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', directory])
const store = await openFileStore(join(directory, 'blobs'))
const results: Record<string, unknown> = {}

results.fits = await outcomeOf(() => put(store, 'tests/fits', 400_000))
results.tooLarge = await outcomeOf(() => put(store, 'tests/too-large', 900_000))
results.replacement = await outcomeOf(() => put(store, 'tests/fits', 900_000))
results.kept = await lengthOf('tests/fits')
results.temporaryFiles = readdirSync(join(directory, 'blobs/.tmp')).length
results.fitsAfterwards = await outcomeOf(() => put(store, 'tests/fits-too', 500_000))

results.checkWithSpace = await outcomeOf(store.check)
results.fills = await outcomeOf(() => fill())
results.checkWithoutSpace = await outcomeOf(store.check)

execFileSync('mount', ['-o', 'remount,ro', directory])
results.putReadOnly = await outcomeOf(() => put(store, 'tests/fits', 10))
results.deleteReadOnly = await outcomeOf(() => store.delete('tests/fits'))
results.checkReadOnly = await outcomeOf(store.check)
results.readReadOnly = await lengthOf('tests/fits')
console.log(JSON.stringify(results))

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (error instanceof BlobStoreError) return `${error.code}: ${error.message}`
    if (error instanceof BlobSizeError) return 'wrong size'
    throw error
  }
}

function put(to: BlobStore, key: string, sizeBytes: number): Promise<void> {
  return to.put(key, Readable.from([Buffer.alloc(sizeBytes)]), { sizeBytes })
}

async function lengthOf(key: string): Promise<number | undefined> {
  const blob = await store.get(key)
  return blob ? (await buffer(blob.bytes)).length : undefined
}

/** Puts smaller and smaller blobs, until none fits. */
async function fill(): Promise<void> {
  for (const sizeBytes of [100_000, 16_384, 4_096, 1]) {
    let index = 0
    while ((await outcomeOf(() => put(store, `tests/fill-${sizeBytes}-${index}`, sizeBytes))) === 'done') index += 1
  }
}
