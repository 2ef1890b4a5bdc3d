/** One address, with or without a display name. */
export interface Mailbox {
  name: string
  address: string
}

const NAMED = /^(?:"(?<quoted>[^"]*)"|(?<plain>[^"<>]*?))\s*<(?<address>[^<>]*)>$/
/** One address and nothing else: no second one, no comment, no line break. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text)
}

/** Reads `noreply@example.com` or `Example <noreply@example.com>`. Throws an Error that says what is expected. */
export function readMailbox(text: string): Mailbox {
  const { quoted, plain, address = text } = NAMED.exec(text)?.groups ?? {}
  const name = quoted ?? plain ?? ''
  if (!isMailAddress(address) || /\p{Cc}/u.test(name)) throw new Error('must be an address, or like Example <noreply@example.com>')
  return { name, address }
}
