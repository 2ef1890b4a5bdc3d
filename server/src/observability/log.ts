import { type Logger, pino } from 'pino'

export type Log = Logger

/** Where lines go, one at a time. */
export interface LogSink {
  write: (line: string) => void
}

/** As much as sonic-boom takes: less than the 16 KiB that it writes at once. */
const BATCH_BYTES = 16_000
const FLUSH_MS = 100

/** Structured logs on standard output. A request's line carries method, route and status; never a header, a query or a body. */
export function createLog({ level, sink }: { level: string; sink?: LogSink }): Log {
  // A write for each line would cost a request a twelfth of its time; a crash may lose the last tenth of a second.
  const destination = sink ?? pino.destination({ sync: false, minLength: BATCH_BYTES, periodicFlush: FLUSH_MS })
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

/** The time of a line, in ISO 8601. The second's text is kept: to make the whole anew would be a third of the line's cost. */
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

/** PostgreSQL quotes values in its messages: tokens, JWTs and addresses stay out. */
function withoutValues(text: string): string {
  return text
    .replaceAll(/\bsv[cars]_[0-9A-Za-z]+/g, 'sv*_…')
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'eyJ…')
    .replaceAll(/[^\s@"'<>]+@[^\s@"'<>]+\.[^\s@"'<>]+/g, '…@…')
}
