import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'

const REPORT_FD = 4
const MAX_MEMORY_KILOBYTES = 1_200_000
const WATCH_MS = 250
const MAX_ERROR_CHARACTERS = 2000
/** A child that was taken over could write a line without end. */
const MAX_LINE_CHARACTERS = 65_536

export interface ConfinedCommand {
  command: readonly string[]
  environment: Record<string, string>
  /** Descriptor 3 of the process. */
  inputPath: string
  /** The working folder of the process. */
  folder: string
  signal: AbortSignal
  /** How long the process may run, from its start. Asked again and again: a report can show what there is to do. */
  timeoutMs: () => number
  /** Called with each line that the process writes to descriptor 4. */
  onLine: (line: string) => void
}

/** Why a process ended. */
export type ConfinedEnd =
  | { reason: 'exit'; code: number | null; killedBy: string | null; errors: string }
  | { reason: 'timeout' | 'memory' | 'aborted' }

/**
 * Runs a process in a group of its own, and kills the group when it takes too long or too much memory, or when the signal
 * is aborted. Resolves when the process has ended.
 */
export async function runConfined(options: ConfinedCommand): Promise<ConfinedEnd> {
  if (options.signal.aborted) return { reason: 'aborted' }
  const input = await open(options.inputPath, 'r')
  try {
    const [file = '', ...parameters] = options.command
    const child = spawn(file, parameters, {
      cwd: options.folder,
      detached: true,
      env: options.environment,
      stdio: ['ignore', 'ignore', 'pipe', input.fd, 'pipe'],
    })
    return await attend(child, options)
  } finally {
    await input.close()
  }
}

async function attend(child: ChildProcess, { signal, timeoutMs, onLine }: ConfinedCommand): Promise<ConfinedEnd> {
  let stoppedFor: 'timeout' | 'memory' | 'aborted' | null = null
  const stop = (reason: NonNullable<typeof stoppedFor>) => {
    stoppedFor ??= reason
    killGroup(child)
  }
  const onAbort = () => stop('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  const startedMs = performance.now()
  const watch = setInterval(async () => {
    if (performance.now() - startedMs > timeoutMs()) return stop('timeout')
    if ((await residentKilobytes(child.pid)) > MAX_MEMORY_KILOBYTES) stop('memory')
  }, WATCH_MS)
  try {
    const closed = once(child, 'close')
    const lines = readLines(child, onLine)
    const errors = readEnd(child)
    const [code, killedBy]: unknown[] = await closed
    await lines
    if (stoppedFor !== null) return { reason: stoppedFor }
    return {
      reason: 'exit',
      code: typeof code === 'number' ? code : null,
      killedBy: typeof killedBy === 'string' ? killedBy : null,
      errors: await errors,
    }
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', onAbort)
  }
}

async function readLines(child: ChildProcess, onLine: (line: string) => void): Promise<void> {
  const stream = child.stdio[REPORT_FD]
  if (!(stream instanceof Readable)) return
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS)
    for (const line of lines) onLine(line)
  }
}

async function readEnd({ stderr }: ChildProcess): Promise<string> {
  let end = ''
  if (stderr === null) return end
  for await (const chunk of stderr.setEncoding('utf8')) end = `${end}${chunk}`.slice(-MAX_ERROR_CHARACTERS)
  return end
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

/** Where there is no /proc, the limit of addresses has to do. */
async function residentKilobytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
}
