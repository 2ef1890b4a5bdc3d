import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { ExitCode } from './exit-codes.ts'
import type { Screen } from './screen.ts'
import { systemErrorMessage } from './system-error.ts'

const STDOUT = 1

/** Characters in a line where the output is no terminal. */
export const PIPED_WIDTH = 160

/** The environment and streams of a command. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>
  stdin: AsyncIterable<Uint8Array | string>
  /** Whether --debug was given. */
  isDebug?: boolean
  /** The version that the service names in its responses, once there is one. */
  serviceVersion?: string
  /** Characters in a line; undefined when the output goes to a file or another program. */
  columns: number | undefined
  /** Lines of the terminal. */
  rows: number | undefined
  writeOut(text: string): void
  writeError(text: string): void
  /** Writes to the standard output as fast as it is read. */
  writeAll(text: string): Promise<void>
  /** Writes bytes that may be no text to it, as fast. */
  writeBytes(bytes: Uint8Array): Promise<void>
  /** Whether the standard output is a file, and not on a screen in any way. */
  writesFile: boolean
  /** Where a progress bar can be drawn; undefined where nobody looks on. */
  progressStream: NodeJS.WritableStream | undefined
  /** Whether somebody can answer a question. */
  canAsk: boolean
  /** Asks a question. Returns the answer, empty if there is none. */
  ask(question: string): Promise<string>
  /** Opens the screen for a command that reads key by key; undefined where there is none. */
  openScreen: (() => Promise<Screen>) | undefined
  /** Returns a signal that aborts at Ctrl-C, which then no longer ends the process. */
  interruption(): AbortSignal
  /** Waits; resolves early when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** How long a command waits for another one that renews the sign-in; 20 seconds unless given. */
  renewalWaitMs?: number
}

export function processTerminal(): Terminal {
  process.stdout.on('error', leave)
  // Nobody reads what would be said about it.
  process.stderr.on('error', () => {})
  return {
    env: process.env,
    stdin: process.stdin,
    // They change when a window does.
    get columns() {
      return process.stdout.isTTY ? process.stdout.columns : undefined
    },
    get rows() {
      return process.stdout.isTTY ? process.stdout.rows : undefined
    },
    writeOut: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    writeAll: write,
    writeBytes: write,
    get writesFile() {
      return isFile()
    },
    progressStream: process.stderr.isTTY ? process.stderr : undefined,
    canAsk: process.stdin.isTTY === true,
    ask,
    openScreen: process.stdin.isTTY && process.stdout.isTTY ? async () => (await import('./screen.ts')).openScreen() : undefined,
    interruption: () => {
      const controller = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
      return controller.signal
    },
    pause: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
  }
}

function isFile(): boolean {
  try {
    return fstatSync(STDOUT).isFile()
  } catch {
    return false
  }
}

async function write(output: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(output)) await once(process.stdout, 'drain')
}

/** Returns a terminal with some members changed. The others stay those of the original: its width changes when a window does. */
export function terminalWith(terminal: Terminal, changed: Partial<Terminal>): Terminal {
  return Object.create(terminal, Object.getOwnPropertyDescriptors(changed))
}

/** Ctrl-C and Ctrl-D are no answer. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    lines.once('close', () => {
      process.stderr.write('\n')
      resolve('')
    })
    lines.question(question, (answer) => {
      lines.removeAllListeners('close').close()
      resolve(answer)
    })
  })
}

/** `earshot … | head -1` closes the pipe after the first line: that is no failure. A full disk is one. */
function leave({ code, errno, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(ExitCode.success)
  process.stderr.write(`error: cannot write the output: ${errno === undefined ? message : systemErrorMessage(errno)}\n`)
  process.exit(ExitCode.refused)
}
