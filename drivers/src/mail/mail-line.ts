const MAX_CHARACTERS = 80
/** Newlines among them, and what makes text run the other way. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\s]+/gu
/** Where a mail program would see an address and make it a link; other scripts' full stops count too. */
const LINKED = /(?<=:)(?=\/\/)|(?<=[.\u3002\uff0e\uff61])(?=[\p{L}\p{N}])/gu

/**
 * Other people's words, such as a name, fit to stand in a mail that we sign: one line of bounded length, without control
 * characters, and with a blank where it could become a link. Whoever signs up chooses name and address freely, so a name
 * must not carry a message of its own.
 */
export function toMailLine(text: string): string {
  const line = text.replace(UNPRINTABLE, ' ').trim().replace(LINKED, ' ') || '—'
  const characters = Array.from(line)
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : line
}
