import type { StreamOptions } from '@earshot/contracts/client'
import { type Invocation, prepare } from './invoke.ts'
import { isPassing, waitMsAfter } from './passing.ts'
import { jsonLine, oneLine } from './printable.ts'
import { streamFrom } from './service.ts'

const MAX_WAIT_MS = 30_000

/**
 * Prints each item of a stream as a line of JSON, until Ctrl-C. A failure of the first connection is an error; one that drops is
 * opened again after the last item, and so is one that came to nothing for a while.
 */
export async function followStream(invocation: Invocation): Promise<void> {
  const { operation, terminal } = invocation
  const signal = terminal.interruption()
  const { client, input } = await prepare(invocation)
  let cursor = typeof input.cursor === 'string' ? input.cursor : undefined
  let failures = 0
  let hasBegun = false
  const onReady: StreamOptions['onReady'] = (start) => {
    if (failures > 0) terminal.writeError('Reconnected.\n')
    failures = 0
    hasBegun = true
    // A connection that drops before the first item must not lose what comes until it is back.
    cursor ??= start
  }
  while (!signal.aborted) {
    try {
      for await (const item of streamFrom(client, operation, { ...input, cursor }, { signal, onReady })) {
        await terminal.writeAll(`${jsonLine(item.data)}\n`)
        cursor = item.cursor
      }
    } catch (error) {
      if (signal.aborted) break
      if (!hasBegun || !isPassing(error)) throw error
      const waitMs = waitMsAfter(error, Math.min(MAX_WAIT_MS, 1_000 * 2 ** failures))
      terminal.writeError(`${oneLine(error.message)} Reconnecting in ${waitMs / 1000} s.\n`)
      failures += 1
      await terminal.pause(waitMs, signal)
    }
  }
  if (cursor !== undefined) terminal.writeError(`Continue after the last line with --cursor ${cursor}\n`)
}
