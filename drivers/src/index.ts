export { createDatabaseMail } from './database-mail.ts'
export { type MailDriver, MailFailure } from './mail.ts'
export { type AddressRules, createAddressRules, familyOf } from './network-address.ts'
export { createOwnAddresses, type OwnAddresses } from './own-addresses.ts'
export { sealMail, sealMailSecret, writeMail } from './sealed-mail.ts'
export { createSecretBox, type SecretBox } from './secret-box.ts'
export {
  hostAndPort,
  judgeUrlForm,
  judgeWebhookUrl,
  type ResolveName,
  resolveName,
  type WebhookUrlVerdict,
} from './webhook-url.ts'
