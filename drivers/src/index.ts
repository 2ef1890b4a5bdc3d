export { createDatabaseMail } from './mail/database-mail.ts'
export { type MailDriver, MailFailure } from './mail/mail.ts'
export { type Mailbox, readMailbox } from './mail/mailbox.ts'
export { sealMail, sealMailSecret, writeMail } from './mail/sealed-mail.ts'
export { createSmtpMail } from './mail/smtp-mail.ts'
export { readSmtpUrl, type SmtpServer } from './mail/smtp-url.ts'
export { readUnsubscribeToken, unsubscribeToken } from './mail/unsubscribe.ts'
export { type EgressProxy, readProxyUrl } from './network/egress-proxy.ts'
export { type AddressRules, createAddressRules, familyOf, isLoopback } from './network/network-address.ts'
export { createOwnAddresses, type OwnAddresses } from './network/own-addresses.ts'
export { shareLookups } from './network/shared-lookups.ts'
export {
  checkUrlForm,
  checkWebhookUrl,
  hostAndPort,
  type ResolveName,
  resolveName,
  type WebhookUrlCheck,
} from './network/webhook-url.ts'
export { createSecretBox, type SecretBox, SecretKeyError } from './secret-box.ts'
export { settleWithin } from './settle-within.ts'
export { type BlobRange, BlobSizeError, type BlobStore, BlobStoreError } from './storage/blob-store.ts'
export { createBlobStoreHealth } from './storage/blob-store-health.ts'
export { openFileStore } from './storage/file-store.ts'
export { openBlobStore, readStorageUrl, type StorageLocation, signedOrigin } from './storage/storage-url.ts'
export { tryBlobStore } from './storage/try-blob-store.ts'
export { findTranscoder } from './transcoder/find-transcoder.ts'
export { findImageConverter, type ImageConverter } from './transcoder/image-converter.ts'
export { findSandbox } from './transcoder/sandbox.ts'
export { type TranscodedClip, TranscodeError, type Transcoder } from './transcoder/transcoder.ts'
