import type en from '@earshot/web/locales/en.json'
import { type Html, html } from '../../pages/html.ts'

/** The texts of the pages. A test compares all languages with English. */
type Messages = typeof en

/** Texts by plural category of `Intl.PluralRules`. */
type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** A language with its texts. */
export interface Locale {
  language: string
  direction: 'ltr' | 'rtl'
  messages: Messages
}

/** Puts values into a text with `{names}`. What reorders text is left out of the values. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => withoutControls(String(values[name] ?? whole)))
}

/** Does the same in a page. Values are kept apart from the direction of the text around them. */
export function fillHtml(text: string, values: Readonly<Record<string, string | number | Html>>): Html {
  const pieces = text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<bdi>${values[piece]}</bdi>`))
  return html`${pieces}`
}

/** Returns the text for a number of things, with the number as this language writes it. */
export function count({ language }: Locale, texts: Plural, number: number): string {
  const text = texts[new Intl.PluralRules(language).select(number)] ?? texts.other
  return fill(text, { count: new Intl.NumberFormat(language).format(number) })
}

/** Marks and overrides of direction (UAX #9 §2), which would reorder what comes after them. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}
