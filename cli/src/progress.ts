import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from './terminal.ts'

interface Progress extends Disposable {
  /** Shows how many are done. */
  show(count: number): void
  /** Writes a line above the bar, or where there is none. */
  note(line: string): void
}

/** Shows a bar below the output of a command, where a person looks on. Without a total it is a number. */
export function startProgress({ progressStream, writeError }: Terminal, noun: string, total: number | undefined): Progress {
  if (!progressStream) return { show: () => {}, note: (line) => writeError(`${line}\n`), [Symbol.dispose]: () => {} }
  const format = total === undefined ? `{value} ${noun}` : `{bar} {percentage} %  {value} of {total} ${noun}  {eta_formatted} left`
  // A bar that switches line wrapping off would leave it off at Ctrl-C. This one fits into 80 columns.
  const width = { linewrap: true, barsize: 24 }
  const bar = new SingleBar({ stream: progressStream, format, clearOnComplete: true, etaBuffer: 100, ...width }, Presets.shades_classic)
  bar.start(total ?? 0, 0)
  return {
    show: (count) => {
      // Nothing can be foretold from nothing.
      if (count === 0) return
      // More can arrive while it runs.
      if (total !== undefined && count > total) bar.setTotal(count)
      bar.update(count)
    },
    // The line takes the place of the bar, which is drawn anew below it.
    note: (line) => void progressStream.write(`\r\u001b[K${line}\n`),
    [Symbol.dispose]: () => bar.stop(),
  }
}
