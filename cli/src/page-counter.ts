import type { Operation } from './operation.ts'
import { isPage } from './page.ts'
import { startProgress } from './progress.ts'
import { type Terminal, terminalWith } from './terminal.ts'

interface PageCounter extends Disposable {
  /** The terminal for the output. */
  terminal: Terminal
  count(page: unknown): void
}

/**
 * Shows how many records of a list there are already, where a person looks on: all the time when the output goes to a file, and until it
 * begins where it, or what another program makes of it, may be on the same screen.
 */
export function startCounter({ operation, terminal }: { operation: Operation; terminal: Terminal }): PageCounter {
  let progress: ReturnType<typeof startProgress> | undefined
  let records = 0
  let isEnded = false
  const end = () => {
    progress?.[Symbol.dispose]()
    progress = undefined
    isEnded = true
  }
  const first =
    <Arguments extends unknown[], Result>(write: (...given: Arguments) => Result) =>
    (...given: Arguments) => {
      end()
      return write(...given)
    }
  const { writeAll, writeOut, writeError } = terminal
  const isShared = !terminal.writesFile
  return {
    terminal: terminalWith(terminal, {
      ...(isShared && { writeAll: first(writeAll), writeOut: first(writeOut) }),
      writeError: first(writeError),
    }),
    count: (page) => {
      records += isPage(page) ? page.results.length : 0
      if (isEnded || records === 0) return
      progress ??= startProgress(terminal, operation.words.at(-2) ?? '', undefined)
      progress.show(records)
    },
    [Symbol.dispose]: end,
  }
}
