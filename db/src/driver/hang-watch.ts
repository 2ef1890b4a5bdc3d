import { isReply } from './errors.ts'

/** Time is counted in ticks of at most twice this length: a pause of this process is no silence of the database. */
const TICK_MS = 250
/** Work in flight without any reply for this long makes the watch ask. */
const SILENT_MS = 750
/** A database that does not reply to the question for this long hangs. */
const ANSWER_MS = 1_750

/** Tells a database that hangs from one that works on long statements: by asking it something short on another connection. */
export interface HangWatch {
  /** Call it when work begins, and the returned function when it ends. */
  begin(): () => void
  /** It replied neither to the work in flight nor to the question. It is asked again until it replies. */
  readonly isHanging: boolean
  close(): void
}

export interface HangWatchOptions {
  /** Asks on a new connection. */
  ask: () => { reply: Promise<unknown>; giveUp: () => void }
  onHang: () => void
}

export function createHangWatch({ ask, onHang }: HangWatchOptions): HangWatch {
  let busy = 0
  let silentMs = 0
  let isHanging = false
  let asked: { giveUp: () => void; forMs: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let tickedAtMs = 0

  function start(): void {
    if (timer) return
    tickedAtMs = performance.now()
    timer = setInterval(tick, TICK_MS).unref()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  function tick(): void {
    const now = performance.now()
    const passedMs = Math.min(now - tickedAtMs, 2 * TICK_MS)
    tickedAtMs = now
    silentMs += passedMs
    if (asked) {
      asked.forMs += passedMs
      if (asked.forMs >= ANSWER_MS) asked.giveUp()
    } else if (isHanging || (busy > 0 && silentMs >= SILENT_MS)) void question()
    else if (busy === 0) stop()
  }

  async function question(): Promise<void> {
    const { reply, giveUp } = ask()
    asked = { giveUp, forMs: 0 }
    const isAlive = await reply.then(() => true, isReply)
    giveUp()
    asked = null
    silentMs = 0
    if (!isAlive && !isHanging) onHang()
    isHanging = !isAlive
  }

  return {
    begin() {
      if (busy === 0) silentMs = 0
      busy += 1
      start()
      return () => {
        busy -= 1
        silentMs = 0
      }
    },
    get isHanging() {
      return isHanging
    },
    close() {
      stop()
      asked?.giveUp()
    },
  }
}
