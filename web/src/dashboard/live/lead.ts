import { keep, readKept } from '../kept.ts'

const BEAT_MS = 1_000
/** A leader that has not been heard of for so long is gone. */
const GONE_MS = 4_000
/** Browsers let the timers of hidden tabs run once a minute. Hidden tabs do not take turns for that. */
const GONE_WHILE_HIDDEN_MS = 90_000
/** Of several tabs that begin at once, the last one to write leads: all wait until the others have written. */
const SETTLE_MS = 150

type Lead = (signal: AbortSignal) => Promise<void>

/**
 * Runs `lead` in one tab of the browser at a time, until the signal aborts. When the tab that leads is closed, dies or stands still,
 * another one begins. What runs ends for good when it returns.
 */
export async function leadAlone(name: string, signal: AbortSignal, lead: Lead): Promise<void> {
  if (!('locks' in navigator)) return leadByHeartbeat(`earshot.lead.${name}`, signal, lead)
  try {
    await navigator.locks.request(name, { signal }, () => lead(signal))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Over plain http browsers have no locks. There the tab that leads writes the time into what all tabs share, again and again. */
async function leadByHeartbeat(key: string, signal: AbortSignal, lead: Lead): Promise<void> {
  const own = String(crypto.getRandomValues(new Uint32Array(2)))
  while (!signal.aborted) {
    if (isFree(key)) {
      write(key, own)
      // A browser that keeps nothing: each tab is on its own.
      if (readKept('local', key) === null) return lead(signal)
      await pause(SETTLE_MS * (1 + Math.random()), signal)
      if (read(key)?.id === own && (await leadWhileFirst(key, own, { signal, lead }))) return
    }
    await nextLook(key, signal)
  }
}

/** Leads until another tab has taken over. Returns whether it ended for another reason. */
async function leadWhileFirst(key: string, own: string, { signal, lead }: { signal: AbortSignal; lead: Lead }): Promise<boolean> {
  const isFirst = () => read(key)?.id === own
  const lost = new AbortController()
  const beat = () => (isFirst() ? write(key, own) : lost.abort())
  const look = (event: StorageEvent) => event.key === key && beat()
  const leave = () => isFirst() && keep('local', key, null)
  const timer = setInterval(beat, BEAT_MS)
  addEventListener('storage', look)
  addEventListener('pagehide', leave)
  try {
    await lead(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(timer)
    removeEventListener('storage', look)
    removeEventListener('pagehide', leave)
    leave()
  }
  return !lost.signal.aborted
}

function isFree(key: string): boolean {
  const beat = read(key)
  if (beat === null) return true
  const goneMs = document.visibilityState === 'visible' ? GONE_MS : GONE_WHILE_HIDDEN_MS
  // A clock may have been set back.
  return Math.abs(Date.now() - beat.atMs) > goneMs
}

function read(key: string): { id: string; atMs: number } | null {
  const [id, at] = readKept('local', key)?.split(' ') ?? []
  return id === undefined ? null : { id, atMs: Number(at) || 0 }
}

function write(key: string, id: string): void {
  keep('local', key, `${id} ${Date.now()}`)
}

/** Waits for the next beat, or until the tab that leads says that it leaves. */
function nextLook(key: string, signal: AbortSignal): Promise<void> {
  const left = new AbortController()
  const look = (event: StorageEvent) => event.key === key && event.newValue === null && left.abort()
  addEventListener('storage', look, { signal: left.signal })
  return pause(BEAT_MS, AbortSignal.any([signal, left.signal])).finally(() => left.abort())
}

/** Waits, at most until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
