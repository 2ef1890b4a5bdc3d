/** One message, ready to send. */
export interface MailMessage {
  /** The mail's id, the same for each attempt. */
  id: string
  to: string
  subject: string
  /** Plain text. */
  text: string
  createdAt: Date
  /** Where its reader ends mails of this kind; null for a mail that nobody can end. */
  unsubscribeUrl: string | null
}

/** Sends mail or keeps it. */
export interface MailDriver {
  /** `sent`: a server accepted it. `kept`: the operator reads it in the database. Throws `MailFailure`. */
  deliver: (message: MailMessage) => Promise<'sent' | 'kept'>
  close: () => Promise<void>
}

/** A message that was not accepted. The error's text holds no address and no part of the message, so it may be logged. */
export class MailFailure extends Error {
  override name = 'MailFailure'
  /** Whether the same message would be refused again. */
  readonly isFinal: boolean
  /** The server's reply to the addresses, for the operator only. */
  readonly reply: string | null

  constructor(message: string, { isFinal, reply = null }: { isFinal: boolean; reply?: string | null }) {
    super(message)
    this.isFinal = isFinal
    this.reply = reply
  }
}
