import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lookup } from 'bcp-47-match'
import type { FastifyRequest } from 'fastify'
import { once } from '../http/once.ts'
import type { Locale } from './markup/texts.ts'

export { count, fill, fillHtml, type Locale } from './markup/texts.ts'

/** The languages of the pages, with their own names, in the order of these. */
export const languageNames = {
  ar: 'العربية',
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
  pt: 'Português',
  ja: '日本語',
} as const

type PageLanguage = keyof typeof languageNames
const languages = Object.keys(languageNames) as PageLanguage[]
const RIGHT_TO_LEFT: readonly string[] = ['ar']
const OWN: PageLanguage = 'en'
/** A browser sends a handful. */
const MAX_RANGES = 20
/** As operations take languages. */
const RANGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$/

export interface Locales {
  /** Returns the best match of what the visitor wants, or of a language that the page is in. */
  choose: (request: FastifyRequest, content?: string) => Promise<Locale>
  /** Returns what the visitor wants, the most wanted first: `?lang=` of the address, and the languages of the browser. */
  wanted: (request: FastifyRequest) => string[]
  /** Returns the best match of other languages; null for none. */
  match: (tags: string[], wanted: string[]) => string | null
  own: () => Promise<Locale>
}

/** Opens the texts in the folder of the sources of the workspace `web`: a file for each language, read when it is first wanted. */
export function openLocales(sources: string): Locales {
  const readers = new Map(languages.map((language) => [language, once(() => readLocale(sources, language))]))
  const read = (language: PageLanguage) => readers.get(language)?.() ?? readLocale(sources, language)
  return {
    choose: (request, content) => read(best([...(content === undefined ? [] : [content]), ...wantedOf(request)])),
    wanted: wantedOf,
    match: (tags, wanted) => (wanted.length === 0 ? null : (lookup(tags, wanted) ?? null)),
    own: () => read(OWN),
  }
}

async function readLocale(sources: string, language: PageLanguage): Promise<Locale> {
  const text = await readFile(join(sources, 'locales', `${language}.json`), 'utf8')
  const direction = RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr'
  return { language, direction, messages: JSON.parse(text) }
}

function wantedOf({ query, headers }: FastifyRequest): string[] {
  const { lang } = query as { lang?: unknown } // Of any route.
  return [...(typeof lang === 'string' && RANGE.test(lang) ? [lang] : []), ...rangesOf(headers['accept-language'])]
}

function best(wanted: string[]): PageLanguage {
  const found = lookup(languages, wanted)
  return languages.find((language) => language === found) ?? OWN
}

/** Returns the language ranges of Accept-Language (RFC 9110 §12.5.4), the most wanted first. */
function rangesOf(header: string | undefined): string[] {
  const ranges = (header ?? '').split(',', MAX_RANGES).map((part) => {
    const [range = '', weight] = part.split(';').map((piece) => piece.trim())
    return { range, weight: Number(/^q=([\d.]+)$/.exec(weight ?? '')?.[1] ?? 1) }
  })
  const wanted = ranges.filter(({ range, weight }) => RANGE.test(range) && weight > 0)
  return wanted.sort((a, b) => b.weight - a.weight).map(({ range }) => range)
}
