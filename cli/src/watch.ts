import { sizes } from '@earshot/contracts/constants'
import { type Invocation, prepare, requireShape } from './invoke.ts'
import { type Format, openOutput } from './output.ts'
import { isPage, type Page } from './page.ts'
import { isPassing, waitMsAfter } from './passing.ts'
import { cut, oneLine } from './printable.ts'
import { readOutput } from './schema-node.ts'
import { call } from './service.ts'
import { terminalWith } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const DEFAULT_SECONDS = 5
const MAX_SECONDS = 86_400
/** Records whose text is kept, to see what changed. */
const MAX_KNOWN = 2_000
/** Erase the display, and move to its start (ECMA-48 §8.3.39, §8.3.21). */
const CLEAR = '\u001b[2J\u001b[H'

/** Shows the first page of a list again and again until Ctrl-C: drawn anew on a terminal, else only the rows that are new or changed. */
export async function watch(invocation: Invocation): Promise<void> {
  const { operation, terminal, given } = invocation
  const seconds = secondsOf(given.watch)
  const format = { operation, terminal, schema: readOutput(operation), given }
  const signal = terminal.interruption()
  const isDrawn = terminal.columns !== undefined && !given.csv && !given.ndjson && given.output === undefined
  const show = isDrawn ? redrawing(format, seconds) : await following(format)
  const { client, input } = await prepare(invocation)
  const request = isDrawn ? input : { limit: sizes.pageItems, ...input }
  let hasShown = false
  let isAway = false
  while (!signal.aborted) {
    try {
      const page = requireShape(await call(client, operation, request, { signal }), invocation)
      if (isAway) terminal.writeError('The service is back.\n')
      isAway = false
      hasShown = true
      if (isPage(page)) await show(page)
      await terminal.pause(seconds * 1000, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!hasShown || !isPassing(error)) throw error
      if (!isAway) terminal.writeError(`${oneLine(error.message)} Trying again until it is back.\n`)
      isAway = true
      await terminal.pause(waitMsAfter(error, seconds * 1000), signal)
    }
  }
}

function secondsOf(given: unknown): number {
  if (given === true) return DEFAULT_SECONDS
  const seconds = Number(given)
  if (!(seconds >= 1 && seconds <= MAX_SECONDS)) throw new UsageError(`--watch must be a number of seconds from 1 to ${MAX_SECONDS}`)
  return seconds
}

/** Draws the table in the place of the last one. What has no room below the heading is left out. */
function redrawing(format: Format, seconds: number): (page: Page) => Promise<void> {
  const { terminal, operation } = format
  return async (page) => {
    let drawn = ''
    const draw = (text: string) => {
      drawn += text
    }
    const canvas = terminalWith(terminal, { writeOut: draw, writeError: draw, writeAll: async (text) => draw(text) })
    const output = await openOutput({ ...format, terminal: canvas })
    await output.add({ ...page, next_cursor: null })
    await output.end()
    const heading = `Every ${seconds} s: earshot ${operation.words.join(' ')}, ${new Date().toLocaleTimeString('en-GB')}. Ctrl-C ends it.`
    const lines = `${cut(heading, terminal.columns ?? heading.length)}\n\n${drawn}`
      .split('\n')
      .slice(0, terminal.rows === undefined ? undefined : terminal.rows - 1)
    await terminal.writeAll(`${CLEAR}${lines.join('\n').trimEnd()}\n`)
  }
}

/** Prints rows as they appear, the oldest of a poll first, because lists begin with the newest. */
async function following(format: Format): Promise<(page: Page) => Promise<void>> {
  const output = await openOutput({ ...format, given: { ...format.given, all: true } })
  let known: Map<string, string> | undefined
  return async ({ results }) => {
    const before = known
    const texts = new Map(results.map((record) => [idOf(record), JSON.stringify(record)]))
    const fresh = results.filter((record) => before?.get(idOf(record)) !== texts.get(idOf(record)))
    // Those that leave the page may come back.
    known = new Map([...(before ?? []), ...texts].slice(-MAX_KNOWN))
    if (fresh.length > 0) await output.add({ results: before ? fresh.toReversed() : fresh })
  }
}

function idOf(record: unknown): string {
  const id = typeof record === 'object' && record !== null && 'id' in record ? record.id : undefined
  return typeof id === 'string' ? id : JSON.stringify(record)
}
