import { setTimeout as delay } from 'node:timers/promises'
import { run, type Screen } from '@earshot/cli'

/** The exit code and output of a command. */
export interface Outcome {
  exitCode: number
  out: string
  err: string
}

/** What a command runs in. */
export interface Setting {
  /** The address of a fake service, for EARSHOT_URL. */
  url?: string
  env?: Record<string, string>
  stdin?: string | Uint8Array
  /** What a person answers to a question. Without it, nobody can be asked. */
  answer?: string
  /** A function where the window is resized meanwhile. */
  columns?: number | (() => number)
  /** A screen for `earshot moderate`. */
  screen?: Screen
  rows?: number
  /** A terminal for progress bars. */
  progressStream?: NodeJS.WritableStream
  /** Aborted in place of Ctrl-C. */
  interruption?: AbortSignal
  /** Called with each piece of output. */
  onOutput?: (text: string) => void
  /** How many times shorter the pauses are than on a real terminal. */
  haste?: number
  /** How long it waits for a command that renews the sign-in; as long as on a real terminal unless given. */
  renewalWaitMs?: number
}

/** Runs a command in this process, with a terminal that records its output. */
export async function earshot(
  args: readonly string[],
  {
    url = '',
    env = {},
    stdin = '',
    answer,
    columns,
    rows,
    screen,
    progressStream,
    interruption,
    onOutput,
    haste = 1,
    renewalWaitMs,
  }: Setting = {},
): Promise<Outcome> {
  const outcome = { exitCode: -1, out: '', err: '' }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  outcome.exitCode = await run(args, {
    env: { EARSHOT_URL: url, EARSHOT_TOKEN: 'svc_test', XDG_CONFIG_HOME: '/dev/null', ...env },
    stdin: (async function* () {
      yield stdin
    })(),
    get columns() {
      return typeof columns === 'function' ? columns() : columns
    },
    rows,
    writeOut: (text) => {
      outcome.out += text
      onOutput?.(text)
    },
    writeError: (text) => {
      outcome.err += text
      onOutput?.(text)
    },
    writeBytes: async (bytes) => {
      outcome.out += decoder.decode(bytes, { stream: true })
    },
    writeAll: async (text) => {
      outcome.out += text
      onOutput?.(text)
    },
    writesFile: columns === undefined,
    progressStream,
    openScreen: screen && (async () => screen),
    canAsk: answer !== undefined,
    ask: async (question) => {
      outcome.err += `${question}\n`
      return answer ?? ''
    },
    pause: (ms, signal) => delay(ms / haste, undefined, { signal }).catch(() => {}),
    interruption: () => interruption ?? new AbortController().signal,
    ...(renewalWaitMs !== undefined && { renewalWaitMs }),
  })
  return outcome
}
