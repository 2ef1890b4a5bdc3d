import { type Logger, pino } from 'pino'

export type Log = Logger

/** Structured logs on standard output. A request's line carries method, route and status; never a header, a query or a body. */
export function createLog({ level }: { level: string }): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: {
      err: ({ message, stack, code }: Error & { code?: string }) => ({
        code,
        message: withoutValues(message),
        stack: withoutValues(stack ?? ''),
      }),
      req: () => undefined,
      res: () => undefined,
    },
  })
}

/** PostgreSQL quotes values in its messages: those stay out. */
function withoutValues(text: string): string {
  return text.replaceAll(/\bsv[car]_[0-9A-Za-z]+/g, 'sv*_…').replaceAll(/[^\s@"'<>]+@[^\s@"'<>]+\.[^\s@"'<>]+/g, '…@…')
}
