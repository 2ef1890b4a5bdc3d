import table from './words.json'

/** The element's own words in one language. */
export type Words = (typeof table)['en']

const languages: Record<string, Words> = table

/** Returns the words for the closest `lang` around an element, and the language that they are in. */
export function wordsFor(element: Element): { language: string; words: Words } {
  const tag = element.closest('[lang]')?.getAttribute('lang') ?? ''
  const language = tag.slice(0, 2).toLowerCase()
  const words = languages[language]
  return words ? { language, words } : { language: 'en', words: table.en }
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
