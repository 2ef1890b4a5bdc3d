import { readdirSync, readFileSync } from 'node:fs'

const WATCH_MS = 50

/** Watches the memory that the children of this process have in RAM. `most` returns the most that one of them had so far, in MB. */
export function watchChildren(): { most: () => number } & Disposable {
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, ...readdirSync('/proc').map(megabytesOfChild))
  }, WATCH_MS)
  return { most: () => most, [Symbol.dispose]: () => clearInterval(timer) }
}

function megabytesOfChild(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    if (Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) !== process.pid) return 0
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    // No process, or one that has ended.
    return 0
  }
}
