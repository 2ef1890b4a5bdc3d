import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'
import { adviceOn } from './advice.ts'
import type { Flag } from './flags.ts'
import type { Operation } from './operation.ts'
import { jsonText, printable } from './printable.ts'
import { NotSignedInError } from './service.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const REFUSED = 1
const USAGE = 2
const NOT_SIGNED_IN = 3
const NOT_REACHABLE = 4

interface FailureContext {
  operation: Operation
  flags: readonly Flag[]
  terminal: Terminal
  isJson: boolean
}

/** Writes to stderr what went wrong and what to do. Returns the exit code. */
export function failed(error: unknown, { operation, flags, terminal, isJson }: FailureContext): number {
  if (error instanceof EarshotApiError) {
    terminal.writeError(isJson ? `${jsonText(error.body)}\n` : linesOf(error.message, adviceOn(error, operation, flags)))
    return error.status === 401 ? NOT_SIGNED_IN : REFUSED
  }
  if (error instanceof UsageError) {
    terminal.writeError(linesOf(error.message, [`See earshot ${operation.words.join(' ')} --help.`]))
    return USAGE
  }
  if (error instanceof NotSignedInError) {
    terminal.writeError(linesOf(error.message, ['Create a personal access token and export EARSHOT_TOKEN=svc_…']))
    return NOT_SIGNED_IN
  }
  if (error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError) {
    terminal.writeError(linesOf(error.message, ['Is the service running, and is EARSHOT_URL its address?']))
    return NOT_REACHABLE
  }
  throw error
}

function linesOf(message: string, advice: readonly string[]): string {
  return printable(`${[`error: ${message}`, ...advice].join('\n')}\n`)
}
