import { setTimeout as delay } from 'node:timers/promises'
import { continueErasure } from '@earshot/db'
import { task } from './task.ts'

/** Between two looks at what an erasure waits for: an import that runs, or another erasure of the team. */
const WAIT_MS = 250

/** Erases what is left of a person, each part in its own transaction. */
export const erasure = task('erasure', async (ref, { database, secretBox, blobStore }) => {
  const open = (sealed: Buffer) => secretBox.open('person', sealed, ref.request_id)
  const files = { get: async (key: string) => (await blobStore.get(key))?.bytes ?? null, delete: blobStore.delete }
  for (;;) {
    const outcome = await continueErasure(database, ref, { open, files })
    if (outcome === 'done') return
    if (outcome === 'waiting') await delay(WAIT_MS)
  }
})
