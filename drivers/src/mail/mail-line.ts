const MAX_CHARACTERS = 80
/** Control characters, line breaks and the bidirectional controls. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\s]+/gu
/** Where a mail program would see an address and turn it into a link; full stops of other scripts count too. */
const LINKED = /(?<=:)(?=\/\/)|(?<=[.\u3002\uff0e\uff61])(?=[\p{L}\p{N}])/gu

/**
 * Returns text that another person chose, such as a name, as one safe line of a mail: bounded in length, without control
 * characters, and with a space where it could become a link. Anybody can sign up with any name and any address, so a name
 * must not carry a message of its own.
 */
export function toMailLine(text: string): string {
  const line = text.replace(UNPRINTABLE, ' ').trim().replace(LINKED, ' ') || '—'
  const characters = Array.from(line)
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : line
}
