const MARKS = /\p{M}/gu
const GAPS = /[^\p{L}\p{N}]+/u

/** How well an entry fits what was typed. Higher is better. */
const WHOLE = 4
const BEGINNING = 3
const WORD = 2
const INITIALS = 1

/**
 * Returns how well a text fits a query, or 0 if it does not: each word that was typed begins a word of the text, in any order and
 * whatever the case and accents; or the letters are the initials of its words (`ps` for "Project settings").
 */
export function matchOf(query: string, text: string, keywords = ''): number {
  const asked = wordsOf(query)
  if (asked.length === 0) return WORD
  const words = wordsOf(text)
  const others = [...words, ...wordsOf(keywords)]
  if (asked.join(' ') === words.join(' ')) return WHOLE
  if (asked.every((word) => others.some((other) => other.startsWith(word)))) return words[0]?.startsWith(asked[0] ?? '') ? BEGINNING : WORD
  const initials = words.map((word) => word.slice(0, 1)).join('')
  return asked.length === 1 && initials.length > 1 && initials.startsWith(asked[0] ?? '') ? INITIALS : 0
}

function wordsOf(text: string): string[] {
  return text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().split(GAPS).filter(Boolean)
}
