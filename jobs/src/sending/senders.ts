import type { ClaimedDelivery } from '@earshot/db/dispatch'
import { createAddressRules, type EgressProxy, type OwnAddresses, type ResolveName } from '@earshot/drivers'
import type { ExchangeLimits } from './exchange.ts'
import { createSender, type Sender } from './send-delivery.ts'

export interface SendersOptions extends Partial<Pick<ExchangeLimits, 'keptSuccessBytes' | 'keptFailureBytes'>> {
  /** CIDRs of networks that are not public and may be sent to. */
  allowNetworks: readonly string[]
  /** Whether plain http is allowed. */
  allowInsecure: boolean
  /** Whether the service runs in local trial, in which endpoints may be on this machine. */
  localTrial: boolean
  /** The addresses of this service, which are never receivers. */
  ownAddresses: OwnAddresses
  /** The version of the service, for the User-Agent. */
  version: string
  /** The proxy through which webhooks leave the network; by default none. */
  proxy?: EgressProxy | null
  /** Defaults to the system's resolver. */
  resolve?: ResolveName
}

export interface Senders {
  senderFor: (delivery: Pick<ClaimedDelivery, 'local_trial'>) => Sender
  close: () => Promise<void>
}

/**
 * Creates a sender for the public network, and in local trial a second one that also reaches loopback addresses: those without
 * the proxy, which would look for them on its own machine.
 */
export function createSenders({ allowNetworks, allowInsecure, localTrial, version, ...options }: SendersOptions): Senders {
  const shared = { ...options, userAgent: `Earshot-Webhooks/${version}` }
  const publicSender = createSender({ ...shared, rules: createAddressRules({ allowNetworks, allowLoopback: false }), allowInsecure })
  const localSender = localTrial
    ? createSender({
        ...shared,
        rules: createAddressRules({ allowNetworks, allowLoopback: true }),
        allowInsecure: true,
        directLoopback: true,
      })
    : null
  return {
    senderFor: ({ local_trial }) => (local_trial && localSender) || publicSender,
    async close() {
      await Promise.all([publicSender.close(), localSender?.close()])
    },
  }
}
