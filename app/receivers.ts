import {
  checkWebhookUrl,
  createAddressRules,
  createOwnAddresses,
  hostAndPort,
  resolveName,
  shareLookups,
  type WebhookUrlCheck,
} from '@earshot/drivers'
import type { Config } from './config.ts'

export type ReceiverRules = ReturnType<typeof createReceiverRules>

/**
 * Creates the rules for webhook receivers: addresses inside the network are refused, except for listed networks. During the
 * local trial, an endpoint registered from this machine may be on this machine, over plain http.
 */
export function createReceiverRules(config: Config) {
  const listening = { host: config.host, port: config.port }
  const probes = config.workerPort === null ? [] : [{ host: config.host, port: config.workerPort }]
  const ownAddresses = createOwnAddresses([listening, ...probes, hostAndPort(new URL(config.baseUrl))])
  // Shared by the whole process: registrations and attempts resolve names on the same few threads.
  const resolve = shareLookups(resolveName)
  const strict = {
    resolve,
    rules: createAddressRules({ allowNetworks: config.webhookAllowNetworks, allowLoopback: false }),
    allowInsecure: config.allowInsecureWebhooks,
    ownAddresses,
  }
  const trial = {
    ...strict,
    rules: createAddressRules({ allowNetworks: config.webhookAllowNetworks, allowLoopback: true }),
    allowInsecure: true,
  }
  return {
    /** Rules that attempts share with registrations. */
    sending: { ownAddresses, resolve },
    check: async (url: string, { isForwarded }: { isForwarded: boolean }): Promise<WebhookUrlCheck & { isLocalTrial?: boolean }> => {
      const result = await checkWebhookUrl(url, strict)
      if (result.ok || !config.localTrial || isForwarded) return result
      return { ...(await checkWebhookUrl(url, trial)), isLocalTrial: true }
    },
  }
}
