import { type FieldError, sizes } from '@earshot/contracts'
import type { Form } from '../pages/form.ts'
import { fill, type Locale } from './visitor-language.ts'

/** What a field of the form says when its value is refused. */
interface FieldTexts {
  /** Name of the input. */
  name: string
  empty: string
  tooLong: string
  invalid: string
  maxCharacters: number
}

/** What stands beside inputs, by their names. An empty name is the whole form. */
export type Problems = Readonly<Record<string, string>>

/** The texts of all fields, by their path in the operation: the script shows the same. */
export type FieldTable = Readonly<Record<string, FieldTexts>>

/** Returns the texts of the fields of the form of a project. */
export function fieldTable({ messages: { error }, language }: Locale): FieldTable {
  const texts = (name: string, maxCharacters: number, own: Partial<FieldTexts> = {}): FieldTexts => {
    const max = new Intl.NumberFormat(language).format(maxCharacters)
    return { name, maxCharacters, empty: error.invalid, invalid: error.invalid, tooLong: fill(error.tooLong, { max }), ...own }
  }
  return {
    body: texts('body', sizes.bodyCharacters, { empty: error.body }),
    title: texts('title', sizes.titleCharacters),
    rating: texts('rating', 1),
    'author.name': texts('name', sizes.nameCharacters, { empty: error.name }),
    'author.email': texts('email', sizes.emailCharacters, { invalid: error.email }),
    'author.title': texts('job', sizes.nameCharacters),
    'author.company': texts('company', sizes.nameCharacters),
    form_token: texts('', sizes.bodyBytes, { invalid: error.formToken }),
  }
}

/** Returns what to say beside which input. What no input stands for is said above the form. */
export function problemsOf(errors: readonly FieldError[], form: Form, locale: Locale): Problems {
  const table = fieldTable(locale)
  const problems: Record<string, string> = {}
  for (const { field, code } of errors) {
    const texts = table[field]
    if (texts) problems[texts.name] ??= wordsOf(texts, form[texts.name] ?? '')
    else problems[''] ??= code === 'unknown_field' ? locale.messages.error.fields : locale.messages.error.characters
  }
  return problems
}

function wordsOf({ empty, tooLong, invalid, maxCharacters }: Omit<FieldTexts, 'name'>, value: string): string {
  if (value === '' && empty !== '') return empty
  return [...value].length > maxCharacters ? tooLong : invalid
}

/** Returns the input of the operation for a form that was filled in without script. Empty fields are absent ones. */
export function inputOf(form: Form, shown: { language: string; consentText: string }): Record<string, unknown> {
  const { body = '', name = '', rating = '', form_token, website } = form
  const given = (value: string | undefined) => (value === undefined || value.trim() === '' ? null : value.trim())
  return {
    body: withoutReturns(body).trim(),
    title: given(form.title),
    rating: /^[1-5]$/.test(rating) ? Number(rating) : null,
    author: { name: name.trim(), email: given(form.email), title: given(form.job), company: given(form.company) },
    consent: { granted: form.consent === 'yes', text: shown.consentText },
    language: shown.language,
    form_token: form_token ?? '',
    website: website ?? '',
  }
}

/** A form sends line breaks as two characters (HTML §4.10.22.4), a script sends one. */
function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
