import { createAddressRules, createOwnAddresses } from '@earshot/drivers'
import { createSender, type Sender, type SenderOptions } from '../../jobs/src/sending/send-delivery.ts'

/** Creates a sender that may reach this machine. */
export function startSender(options: Partial<SenderOptions> = {}): Sender & AsyncDisposable {
  const sender = createSender({
    rules: createAddressRules({ allowNetworks: [], allowLoopback: true }),
    ownAddresses: createOwnAddresses([]),
    allowInsecure: true,
    userAgent: 'Earshot-Test',
    ...options,
  })
  return { ...sender, [Symbol.asyncDispose]: () => sender.close() }
}
