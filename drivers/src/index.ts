export { createDatabaseMail } from './database-mail.ts'
export { type MailDriver, MailFailure } from './mail.ts'
export { type Mailbox, readMailbox } from './mailbox.ts'
export { type AddressRules, createAddressRules, familyOf } from './network-address.ts'
export { createOwnAddresses, type OwnAddresses } from './own-addresses.ts'
export { sealMail, sealMailSecret, writeMail } from './sealed-mail.ts'
export { createSecretBox, type SecretBox, SecretKeyError } from './secret-box.ts'
export { shareLookups } from './shared-lookups.ts'
export { createSmtpMail } from './smtp-mail.ts'
export { readSmtpUrl, type SmtpServer } from './smtp-url.ts'
export {
  hostAndPort,
  judgeUrlForm,
  judgeWebhookUrl,
  type ResolveName,
  resolveName,
  type WebhookUrlVerdict,
} from './webhook-url.ts'
