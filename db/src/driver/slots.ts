import type { Connection } from './connection.ts'

const MAX_AGE_MS = 30 * 60_000

/** A connection of a pool. */
export interface Slot {
  readonly connection: Connection
  readonly openedAtMs: number
}

/** The connections of a pool, busy and idle. */
export interface Slots {
  /** Takes an idle connection or opens one; undefined while all are busy. */
  take(): Slot | undefined
  /** Gives a connection back. One that was lost is destroyed. */
  giveBack(slot: Slot): void
  /** Retires the connections that are open now: each is replaced before its next use. */
  retire(): void
  /** Destroys the connections in use: their statements fail. */
  destroyBusy(): void
  readonly areAllIdle: boolean
  /** Closes all, each after its statement in flight. */
  end(): Promise<void>
}

/** A connection that was lost, or did not reply in time, is never used again, and none longer than half an hour. */
export function createSlots(max: number, open: () => Connection): Slots {
  const slots = new Set<Slot>()
  const idle: Slot[] = []
  let retiredMs = Number.NEGATIVE_INFINITY

  const isUsable = ({ connection, openedAtMs }: Slot) =>
    !connection.isLost && openedAtMs > retiredMs && performance.now() - openedAtMs < MAX_AGE_MS
  const discard = (slot: Slot) => {
    slots.delete(slot)
    void slot.connection.destroy()
  }
  return {
    take() {
      for (let slot = idle.pop(); slot; slot = idle.pop()) {
        if (isUsable(slot)) return slot
        discard(slot)
      }
      if (slots.size >= max) return undefined
      const slot = { connection: open(), openedAtMs: performance.now() }
      slots.add(slot)
      return slot
    },
    giveBack(slot) {
      if (slot.connection.isLost) discard(slot)
      else idle.push(slot)
    },
    retire() {
      retiredMs = performance.now()
    },
    destroyBusy() {
      for (const slot of slots) if (!idle.includes(slot)) void slot.connection.destroy()
    },
    get areAllIdle() {
      return idle.length === slots.size
    },
    end: async () => void (await Promise.all([...slots].map(({ connection }) => connection.end()))),
  }
}
