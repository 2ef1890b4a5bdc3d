import type { ClaimedDelivery } from '@earshot/db/dispatch'
import { createAddressRules, type OwnAddresses, type ResolveName } from '@earshot/drivers'
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
  /** The system's resolver when left out. */
  resolve?: ResolveName
}

export interface Senders {
  senderFor: (delivery: Pick<ClaimedDelivery, 'local_trial'>) => Sender
  close: () => Promise<void>
}

/** One sender for the public network, and in local trial a second one that reaches loopback addresses too. */
export function createSenders({ allowNetworks, allowInsecure, localTrial, ownAddresses, version, resolve }: SendersOptions): Senders {
  const shared = { ownAddresses, userAgent: `Earshot-Webhooks/${version}`, ...(resolve && { resolve }) }
  const far = createSender({ ...shared, rules: createAddressRules({ allowNetworks, allowLoopback: false }), allowInsecure })
  const near = localTrial
    ? createSender({ ...shared, rules: createAddressRules({ allowNetworks, allowLoopback: true }), allowInsecure: true })
    : null
  return {
    senderFor: ({ local_trial }) => (local_trial && near) || far,
    async close() {
      await Promise.all([far.close(), near?.close()])
    },
  }
}
