import { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'
import { adviceOn } from './advice.ts'
import { ExitCode } from './exit-codes.ts'
import { FileError } from './file-error.ts'
import type { Flag } from './flags.ts'
import { NotSignedInError } from './not-signed-in.ts'
import type { Operation } from './operation.ts'
import { jsonText, printable } from './printable.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { adviceOnVersion } from './version.ts'

interface FailureContext {
  operation: Operation
  flags: readonly Flag[]
  terminal: Terminal
  isJson: boolean
}

/** Writes to stderr what went wrong and what to do. Returns the exit code. */
export function failed(error: unknown, { operation, flags, terminal, isJson }: FailureContext): number {
  if (error instanceof EarshotApiError) {
    const isOfProfile = error.status === 401 && !terminal.env.EARSHOT_TOKEN
    const advice = isOfProfile ? ['Sign in again: earshot login'] : adviceOn(error, operation, flags)
    // These may be about a field or an operation that only one of the two knows.
    const versions = [400, 404, 405].includes(error.status) ? adviceOnVersion(terminal) : []
    const isUnknown = error.status === 401
    // One line, as for every other end of a sign-in.
    const text = isUnknown ? linesOf([error.message, ...advice].join(' '), []) : linesOf(error.message, [...advice, ...versions])
    terminal.writeError(isJson ? `${jsonText(error.body)}\n` : text)
    return isUnknown ? ExitCode.notSignedIn : ExitCode.refused
  }
  if (error instanceof UsageError) {
    terminal.writeError(linesOf(error.message, [`See earshot ${operation.words.join(' ')} --help.`]))
    return ExitCode.usage
  }
  if (error instanceof FileError) {
    terminal.writeError(linesOf(error.message, []))
    return ExitCode.refused
  }
  if (error instanceof NotSignedInError) {
    terminal.writeError(linesOf(error.message, []))
    return ExitCode.notSignedIn
  }
  // Loaded with the commands that can throw them alone.
  if (error instanceof Error && (error.name === 'NotEarshotError' || error.name === 'OAuthRefusal')) {
    terminal.writeError(linesOf(error.message, []))
    return error.name === 'OAuthRefusal' ? ExitCode.refused : ExitCode.notReachable
  }
  if (error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError) {
    const place = `Is the service running, and is this its address?${terminal.env.EARSHOT_TOKEN ? ' Set it with EARSHOT_URL.' : ''}`
    terminal.writeError(linesOf(error.message, [place, ...adviceOnVersion(terminal)]))
    return ExitCode.notReachable
  }
  throw error
}

function linesOf(message: string, advice: readonly string[]): string {
  return printable(`${[`error: ${message}`, ...advice].join('\n')}\n`)
}
