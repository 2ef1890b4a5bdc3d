import { setTimeout as delay } from 'node:timers/promises'
import type { Server, ServerExit } from './server.ts'
import { endServer, sendSignal } from './shutdown.ts'

const FIRST_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 5_000
/** A run this long was no failed start: the backoff starts over. */
const STEADY_RUN_MS = 30_000
/** How long the first start waits for the last server's processes to end. */
const BUSY_TIMEOUT_MS = 30_000
/** Another server is still shutting down, or its last backends have not noticed yet that it died. */
const BUSY = /lock file .* already exists|shared memory block/

export interface SupervisorOptions {
  /** Removes what the last run left and spawns the server; called again after each unexpected exit. */
  launch: () => Promise<Server>
  log: (line: string) => void
  /** Called at each unexpected exit, before the restart. */
  onExit?: ((exit: ServerExit) => void) | undefined
}

export interface Supervisor {
  /** The running server's pid; undefined between an unexpected exit and the restart. */
  pid(): number | undefined
  /** Stops the server; within 30 seconds unless given. */
  stop(limits?: { timeoutMs: number }): Promise<void>
  /** Requests a fast shutdown without waiting, for the exit of the process. */
  signalStop(): void
}

/** Starts a server and restarts it until `stop`. Throws when the first start fails. */
export async function superviseServer(options: SupervisorOptions): Promise<Supervisor> {
  const stopping = new AbortController()
  let server = await startFirst(options)
  const watching = watch()
  return {
    pid: () => (server.hasExited() ? undefined : server.pid),
    stop: async (limits) => {
      stopping.abort()
      await endServer(server.pid, server.hasExited, limits?.timeoutMs)
      await watching
    },
    signalStop: () => {
      if (!server.hasExited()) sendSignal(server.pid, 'SIGINT')
    },
  }

  async function watch(): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS
    for (;;) {
      const readyMs = performance.now()
      const exit = await server.exited
      if (stopping.signal.aborted) return
      options.log(`PostgreSQL (pid ${server.pid}) exited unexpectedly (${exit.signal ?? `code ${exit.code}`}); restarting it`)
      options.onExit?.(exit)
      if (performance.now() - readyMs > STEADY_RUN_MS) backoffMs = FIRST_BACKOFF_MS
      do {
        await delay(backoffMs, undefined, { signal: stopping.signal }).catch(() => {})
        backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
      } while (!stopping.signal.aborted && !(await relaunch()))
    }
  }

  /** Returns false when the server exited before it was ready, and must be launched again. */
  async function relaunch(): Promise<boolean> {
    try {
      server = await options.launch()
      // A stop during the launch saw only the dead server.
      if (stopping.signal.aborted) await endServer(server.pid, server.hasExited)
      await server.ready
      options.log(`PostgreSQL (pid ${server.pid}) is ready again`)
      return true
    } catch (error) {
      if (!stopping.signal.aborted) options.log(error instanceof Error ? error.message : String(error))
      return false
    }
  }
}

async function startFirst({ launch, log }: SupervisorOptions): Promise<Server> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    const server = await launch()
    try {
      await server.ready
      return server
    } catch (error) {
      const isBusy = error instanceof Error && BUSY.test(error.message)
      if (!isBusy || performance.now() > deadlineMs) throw error
      log(`${error.message}; waiting for it to end`)
      await delay(FIRST_BACKOFF_MS)
    }
  }
}
