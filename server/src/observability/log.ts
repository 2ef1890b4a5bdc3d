import { type Logger, pino } from 'pino'

export type Log = Logger

/** The destination of log lines. */
export interface LogSink {
  write: (line: string) => void
}

/** Below the 16 KiB that sonic-boom writes at once. */
const BATCH_BYTES = 16_000
const FLUSH_MS = 100

/** Creates the log: JSON lines on standard output. Lines of requests have method, route and status, never headers, query or body. */
export function createLog({ level, sink }: { level: string; sink?: LogSink }): Log {
  // Writing each line separately would take a twelfth of a request's time. A crash may lose the last tenth of a second.
  const destination = sink ?? openStandardOutput()
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    serializers: {
      err: ({ message, stack, code }: Error & { code?: string }) => ({
        code,
        message: withoutValues(message),
        stack: withoutValues(stack ?? ''),
      }),
      req: () => undefined,
      res: () => undefined,
    },
  }
  return pino(options, destination)
}

/** Opens standard output. What is logged within a tenth of a second is written together, without a timer while nothing is. */
function openStandardOutput() {
  const output = pino.destination({ sync: false, minLength: BATCH_BYTES })
  let isFlushing = false
  const flush = () => {
    isFlushing = false
    output.flush()
  }
  return {
    write(line: string) {
      output.write(line)
      if (isFlushing) return
      isFlushing = true
      setTimeout(flush, FLUSH_MS).unref()
    },
    flushSync: () => output.flushSync(),
  }
}

/** Returns a line's time in ISO 8601. It caches the text of the second, which would be a third of the line's cost. */
function createTimestamp(): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const nowMs = Date.now()
    const ms = nowMs % 1000
    if (nowMs - ms !== second) {
      second = nowMs - ms
      text = new Date(second).toISOString().slice(0, -'000Z'.length)
    }
    return `,"time":"${text}${String(ms).padStart(3, '0')}Z"`
  }
}

/** Removes tokens, JWTs and e-mail addresses, because PostgreSQL's messages quote values. */
function withoutValues(text: string): string {
  return text
    .replaceAll(/\bsv[cars]_[0-9A-Za-z]+/g, 'sv*_…')
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'eyJ…')
    .replaceAll(/[^\s@"'<>]+@[^\s@"'<>]+\.[^\s@"'<>]+/g, '…@…')
}
