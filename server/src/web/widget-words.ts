import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { once } from '../http/once.ts'

/** What the page says itself, in one language. The elements for websites say the same. */
export interface WidgetWords {
  language: string
  list: string
  from: string
  by: string
}

/** Returns a function that finds the words for a visitor: in the language that the page asks for, or in the best of the browser's. */
export function openWidgetWords(sources: string): (asked: unknown, accepted: string | undefined) => Promise<WidgetWords> {
  const table = once(async () => parse(await readFile(join(sources, 'embed/words.json'), 'utf8')))
  return async (asked, accepted) => {
    const words = await table()
    const language = [String(asked ?? ''), ...byPreference(accepted)].map(primary).find((tag) => words.has(tag)) ?? 'en'
    const found = words.get(language)
    if (!found) throw new Error('The words of widgets lack English')
    return { ...found, language }
  }
}

/** Fills the number into the form of a phrase that it takes. */
export function counted({ from, language }: WidgetWords, count: number): string {
  const forms = from.split('|')
  const form = new Intl.PluralRules(language).select(count) === 'one' ? forms[0] : forms.at(-1)
  return (form ?? '').replace('{n}', () => new Intl.NumberFormat(language).format(count))
}

function parse(json: string): Map<string, Omit<WidgetWords, 'language'>> {
  const { names, languages } = JSON.parse(json) as { names: string[]; languages: Record<string, string[]> } // A file of ours.
  return new Map(
    Object.entries(languages).map(([language, words]) => {
      const named = new Map(names.map((name, index) => [name, words[index] ?? '']))
      return [language, { list: named.get('list') ?? '', from: named.get('from') ?? '', by: named.get('by') ?? '' }]
    }),
  )
}

function primary(tag: string): string {
  return tag.trim().slice(0, 2).toLowerCase()
}

/** The tags of `Accept-Language`, the preferred first (RFC 9110 §12.5.4). */
function byPreference(header = ''): string[] {
  return header
    .split(',')
    .map((part) => ({ tag: part.split(';', 1)[0] ?? '', quality: Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
