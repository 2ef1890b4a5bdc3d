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
 * Addresses inside the network are refused, but for listed networks. During the local trial an endpoint that was
 * registered from this machine may be this machine itself, over plain http.
 */
export function createReceiverRules(config: Config) {
  const listening = { host: config.host, port: config.port }
  const probes = config.workerPort === null ? [] : [{ host: config.host, port: config.workerPort }]
  const ownAddresses = createOwnAddresses([listening, ...probes, hostAndPort(new URL(config.baseUrl))])
  // One for the whole process: registrations and attempts look names up on the same few threads.
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
    /** What attempts have in common with registrations. */
    sending: { ownAddresses, resolve },
    judge: async (url: string, { isForwarded }: { isForwarded: boolean }): Promise<WebhookUrlCheck & { isLocalTrial?: boolean }> => {
      const verdict = await checkWebhookUrl(url, strict)
      if (verdict.ok || !config.localTrial || isForwarded) return verdict
      return { ...(await checkWebhookUrl(url, trial)), isLocalTrial: true }
    },
  }
}
