/** Texts by plural category of `Intl.PluralRules`. */
type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** What a field says when its value is refused. The service writes it into the page. */
export interface FieldTexts {
  name: string
  empty: string
  tooLong: string
  invalid: string
  maxCharacters: number
}

/** Texts of any page that sends something. */
export interface SendingTexts {
  script: typeof import('../locales/en.json')['script']
  error: typeof import('../locales/en.json')['error']
}

/** Returns what the service wrote into the page for this script. */
export function readPageData<Data>(): Data {
  return JSON.parse(document.getElementById('data')?.textContent ?? '{}')
}

/** The language of the page. */
export const language = document.documentElement.lang

/** Puts values into a text with `{names}`. What reorders text is left out of the values (UAX #9 §2). */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole).replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ''),
  )
}

/** Returns the text for a number of things. */
export function count(texts: Plural, number: number): string {
  const text = texts[new Intl.PluralRules(language).select(number)] ?? texts.other
  return fill(text, { count: new Intl.NumberFormat(language).format(number) })
}
