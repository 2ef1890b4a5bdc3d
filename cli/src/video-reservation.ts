import { createHash } from 'node:crypto'
import type { Client } from '@earshot/contracts/client'
import { openStateFile, sweepStateFiles } from './state-file.ts'
import type { Terminal } from './terminal.ts'

const PREFIX = 'upload-'

/** What a later run needs to resume an upload. */
export interface Reservation {
  video_id: string
  upload: { url: string; token: string; expires_at: string }
}

/** The reservation of an upload that has not ended. */
export interface ReservationMemory {
  /** Returns it unless it has expired. */
  read: () => Reservation | undefined
  write: (reserved: Awaited<ReturnType<Client['videos']['reserve']>>) => void
  forget: () => void
}

/** Opens the memory of a file in a project of a service; nothing is kept of what can be read only once. */
export function openReservation({ env }: Terminal, place: { url: string; project_id: string; identity: string | null }): ReservationMemory {
  const { url, project_id, identity } = place
  if (identity === null) return { read: () => undefined, write: () => {}, forget: () => {} }
  const name = createHash('sha256').update(`${url} ${project_id} ${identity}`).digest('hex').slice(0, 32)
  const file = openStateFile(env, PREFIX + name)
  return {
    read: () => {
      const state = file.read()
      return isOpen(state) ? state : undefined
    },
    write: ({ video, upload: { url, token, expires_at } }) => {
      sweepStateFiles(env, PREFIX, (state) => !isOpen(state))
      file.write({ video_id: video.id, upload: { url, token, expires_at } })
    },
    forget: file.remove,
  }
}

/** Returns whether it is a reservation that has not expired. */
function isOpen(state: unknown): state is Reservation {
  const { video_id, upload } = (state ?? {}) as Partial<Reservation> // Each field is checked.
  const isWhole = [video_id, upload?.url, upload?.token, upload?.expires_at].every((field) => typeof field === 'string')
  return isWhole && Date.parse(upload?.expires_at ?? '') > Date.now()
}
