export { type AddressRules, createAddressRules, familyOf } from './network-address.ts'
export { createOwnAddresses, type OwnAddresses } from './own-addresses.ts'
export { createSecretBox, type SecretBox, SecretKeyError } from './secret-box.ts'
export {
  hostAndPort,
  judgeUrlForm,
  judgeWebhookUrl,
  type ResolveName,
  resolveName,
  type WebhookUrlVerdict,
} from './webhook-url.ts'
