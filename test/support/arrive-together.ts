import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Database } from '@earshot/db'
import { until } from './until.ts'

/** Node's channel of requests that its HTTP servers in this process have received. */
const RECEIVED = 'http.server.request.start'

/**
 * Sends public requests that all arrive before the first one is counted, however slow the machine is: until then the counts of
 * addresses are locked. Returns their responses in order.
 */
export async function arriveTogether<Response>(
  { database }: { database: Database },
  requests: readonly (() => Promise<Response>)[],
): Promise<Response[]> {
  let received = 0
  const count = () => {
    received += 1
  }
  subscribe(RECEIVED, count)
  try {
    const { responses } = await database.transaction(async (tx) => {
      await tx.run('lock table rate_windows in share mode', [])
      const responses = Promise.all(requests.map((send) => send()))
      await until('all requests have arrived', () => Promise.resolve(received >= requests.length))
      return { responses }
    })
    return await responses
  } finally {
    unsubscribe(RECEIVED, count)
  }
}
