import { languages, names } from './words.json'

/** The element's own words in one language. */
export type Words = Record<'by' | 'form' | 'from' | 'less' | 'list' | 'more' | 'next' | 'play' | 'previous', string>

const rows: Record<string, readonly string[]> = languages

/** Returns the words for the closest `lang` around an element, and the language that they are in. */
export function wordsFor(element: Element): { language: string; words: Words } {
  const tag = element.closest('[lang]')?.getAttribute('lang') ?? ''
  const asked = tag.slice(0, 2).toLowerCase()
  const language = rows[asked] ? asked : 'en'
  // The file has a row of words for each language: their names once are shorter than ten times.
  const words = Object.fromEntries(names.map((name, index) => [name, rows[language]?.[index]])) as Words
  return { language, words }
}

/** Fills the number into the form of a phrase that it takes; a phrase has its singular before its plural. */
export function counted(phrase: string, count: number, language: string): string {
  const forms = phrase.split('|')
  const form = new Intl.PluralRules(language).select(count) === 'one' ? forms[0] : forms.at(-1)
  return (form ?? '').replace('{n}', () => new Intl.NumberFormat(language).format(count))
}

/** Fills a name into a phrase. */
export function named(phrase: string, name: string): string {
  return phrase.replace('{name}', () => name)
}
