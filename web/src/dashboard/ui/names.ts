/** What turns the direction of all that follows, or moves a cursor. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}]+/gu
/** No script needs more marks on a letter. */
const PILES = /(\p{M}{8})\p{M}+/gu
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** In a sentence, which must be read to its end. */
const MAX_CHARACTERS = 60

/** Whether there is anything to see of a text. */
export function isVisible(text: string | null): text is string {
  return text !== null && VISIBLE.test(text)
}

/** Returns a stranger's name as it can be shown: without piles of marks, and with words for one of which nothing is seen. */
export function plainName(name: string): string {
  const plain = name.replaceAll(CONTROLS, ' ').replaceAll(PILES, '$1').trim()
  return isVisible(plain) ? plain : 'No visible name'
}

/** Returns a name for a sentence, whose other words keep their direction: for messages and labels, which have no elements. */
export function nameInText(name: string): string {
  const characters = [...plainName(name)]
  const shown = characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : characters.join('')
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown
}
