import { openFileStore } from '@earshot/drivers'

/** Runs in a process of its own: puts a blob, and says when half of it is written. The other half never comes. */
const [, , directory = ''] = process.argv
const store = await openFileStore(directory)
await store.put('a/b', half(), { sizeBytes: 2_000_000 })

async function* half(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(1_000_000)
  console.log('half')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
}
