import type { Logger } from 'pino'

/** The methods of a pino logger that the worker uses. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
