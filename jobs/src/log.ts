import type { Logger } from 'pino'

/** What the workers need of a pino logger. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
