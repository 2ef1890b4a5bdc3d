import type { MailDriver } from './mail.ts'

/** Without an SMTP server: the mail stays in the database, sealed, until the operator reads it. */
export function createDatabaseMail(): MailDriver {
  return { deliver: async () => 'kept', close: async () => {} }
}
