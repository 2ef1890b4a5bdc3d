import type { ClaimedDelivery } from '@earshot/db'
import { createAddressRules, type OwnAddresses } from '@earshot/drivers'
import { createSender, type Sender } from './send-delivery.ts'

export interface SendersOptions {
  /** CIDRs that may be sent to although they are not public. */
  allowNetworks: readonly string[]
  /** Whether plain http is allowed. */
  allowInsecure: boolean
  /** Whether the service runs in local trial: endpoints that were registered in it may be on this machine. */
  localTrial: boolean
  /** Where this service itself answers. */
  ownAddresses: OwnAddresses
  /** Of the service, for the User-Agent. */
  version: string
}

export interface Senders {
  senderFor: (delivery: Pick<ClaimedDelivery, 'local_trial'>) => Sender
  close: () => Promise<void>
}

/** One sender for the public network, and in local trial a second one that reaches loopback addresses too. */
export function createSenders({ allowNetworks, allowInsecure, localTrial, ownAddresses, version }: SendersOptions): Senders {
  const userAgent = `Earshot-Webhooks/${version}`
  const far = createSender({ rules: createAddressRules({ allowNetworks, allowLoopback: false }), allowInsecure, ownAddresses, userAgent })
  const near = localTrial
    ? createSender({ rules: createAddressRules({ allowNetworks, allowLoopback: true }), allowInsecure: true, ownAddresses, userAgent })
    : null
  return {
    senderFor: ({ local_trial }) => (local_trial && near) || far,
    async close() {
      await Promise.all([far.close(), near?.close()])
    },
  }
}
