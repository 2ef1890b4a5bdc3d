/** One message, ready to be sent. */
export interface MailMessage {
  /** The mail's id: an attempt that is made again sends the same message. */
  id: string
  to: string
  subject: string
  /** Plain text. */
  text: string
  createdAt: Date
}

/** Where mail goes. */
export interface MailDriver {
  /** `sent`: a server took it over. `kept`: it waits for the operator to read it. Throws `MailFailure`. */
  deliver: (message: MailMessage) => Promise<'sent' | 'kept'>
  close: () => Promise<void>
}

/** A message was not taken. Its text names neither addresses nor words of the message, so it may be logged. */
export class MailFailure extends Error {
  override name = 'MailFailure'
  /** The same message would be refused again. */
  readonly isFinal: boolean
  /** What the server said to the addresses, for the operator's eyes alone. */
  readonly answer: string | null

  constructor(message: string, { isFinal, answer = null }: { isFinal: boolean; answer?: string | null }) {
    super(message)
    this.isFinal = isFinal
    this.answer = answer
  }
}
