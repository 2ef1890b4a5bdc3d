import { setTimeout as delay } from 'node:timers/promises'
import { run } from '@earshot/cli'

/** What a command line left behind. */
export interface Outcome {
  exitCode: number
  out: string
  err: string
}

interface Setting {
  /** Set EARSHOT_URL to the address of a played service. */
  url?: string
  env?: Record<string, string>
  stdin?: string
  columns?: number
  /** What Ctrl-C would abort. */
  interruption?: AbortSignal
  /** Called with each piece that is shown. */
  onOutput?: (text: string) => void
  /** How many times shorter the pauses are than on a real terminal. */
  haste?: number
}

/** Runs a command line in this process, with a terminal that writes down what it shows. */
export async function earshot(
  args: readonly string[],
  { url = '', env = {}, stdin = '', columns, interruption, onOutput, haste = 1 }: Setting = {},
): Promise<Outcome> {
  const outcome = { exitCode: -1, out: '', err: '' }
  outcome.exitCode = await run(args, {
    env: { EARSHOT_URL: url, EARSHOT_TOKEN: 'svc_test', ...env },
    stdin: (async function* () {
      yield stdin
    })(),
    columns,
    writeOut: (text) => {
      outcome.out += text
      onOutput?.(text)
    },
    writeError: (text) => {
      outcome.err += text
      onOutput?.(text)
    },
    pause: (ms, signal) => delay(ms / haste, undefined, { signal }).catch(() => {}),
    interruption: () => interruption ?? new AbortController().signal,
  })
  return outcome
}
