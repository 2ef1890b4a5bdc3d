import { type Database, type DatabaseAddress, openDatabase } from '@earshot/db'
import { createAddressRules, createOwnAddresses, type SecretBox } from '@earshot/drivers'
import type { Log } from '@earshot/jobs'
import { Registry } from 'prom-client'
import { type Dispatcher, startDispatcher } from '../../jobs/src/dispatcher/dispatcher.ts'
import { createSender, type SenderOptions } from '../../jobs/src/sending/send-delivery.ts'

export const USER_AGENT = 'Earshot-Webhooks/1.2.3'
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

export type TestDispatcherOptions = Partial<SenderOptions> & {
  backoffBaseMs?: number
  log?: Log
  registry?: Registry
  /** Called with the text of each statement. */
  onStatement?: (text: string) => void
}

export interface TestDispatcher {
  dispatcher: Dispatcher
  /** The pool whose connection holds the worker’s lock. */
  session: Database
  stop: (timeoutMs?: number) => Promise<void>
}

/** Starts a worker’s dispatcher that may reach this machine. */
export async function startTestDispatcher(
  { address, secretBox }: { address: DatabaseAddress; secretBox: SecretBox },
  { backoffBaseMs = 50, log = silent, registry = new Registry(), onStatement, ...options }: TestDispatcherOptions = {},
): Promise<TestDispatcher> {
  const open = (poolSize: number) =>
    openDatabase({
      ...{ address, poolSize, role: 'earshot_worker', applicationName: 'earshot test worker' },
      ...(onStatement && { onStatement }),
    })
  const [pool, session] = [open(4), open(1)]
  const sender = createSender({
    rules: createAddressRules({ allowNetworks: [], allowLoopback: true }),
    ownAddresses: createOwnAddresses([]),
    allowInsecure: true,
    userAgent: USER_AGENT,
    ...options,
  })
  const dispatcher = await startDispatcher({
    database: pool,
    lockDatabase: session,
    secretBox,
    baseUrl: 'https://feedback.example',
    senderFor: () => sender,
    backoffBaseMs,
    log,
    registry,
  })
  let stopped: Promise<void> | undefined
  return {
    dispatcher,
    session,
    stop(timeoutMs = 2_000) {
      stopped ??= dispatcher.stop({ timeoutMs }).then(async () => {
        await Promise.all([sender.close(), pool.close(), session.close()])
      })
      return stopped
    },
  }
}
