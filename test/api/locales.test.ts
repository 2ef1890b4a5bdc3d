import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { webFolder } from '@earshot/web/build'
import { expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { startTestService } from '../support/test-service.ts'

const FOLDER = join(webFolder, 'src/locales')
const languages = readdirSync(FOLDER).map((name) => name.replace('.json', ''))
const others = languages.filter((language) => language !== 'en')

type Texts = Record<string, Record<string, string | Record<string, string>>>

const english = read('en')

test('there are ten languages to begin with', () => {
  expect(languages.sort()).toEqual(['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt'])
})

test.each(others)('%s has every text of English, each with the same placeholders', (language) => {
  const texts = read(language)
  expect(Object.keys(texts)).toEqual(Object.keys(english))
  for (const [group, own] of Object.entries(english)) {
    const others = texts[group] ?? {}
    expect(Object.keys(others)).toEqual(Object.keys(own))
    for (const [name, text] of Object.entries(own)) {
      const other = others[name]
      if (typeof text === 'string') expect([name, placeholders(String(other))]).toEqual([name, placeholders(text)])
    }
  }
})

test.each(languages)('%s has exactly the plurals that its numbers take, and none lacks its number', (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  const plurals = Object.values(read(language)).flatMap((group) => Object.values(group).filter((text) => typeof text === 'object'))
  expect(plurals.length).toBeGreaterThan(4)
  for (const texts of plurals) {
    expect(Object.keys(texts).sort()).toEqual([...pluralCategories].sort())
    // Arabic has words of their own for the smallest numbers.
    for (const [category, text] of Object.entries(texts))
      if (!['zero', 'one', 'two'].includes(category)) expect(placeholders(text)).toEqual(['{count}'])
  }
})

test('no text holds markup, or what reorders other text', () => {
  for (const language of languages)
    for (const text of Object.values(read(language)).flatMap((group) => Object.values(group).flatMap((one) => Object.values({ one }))))
      expect(JSON.stringify(text)).not.toMatch(/[<>\u202a-\u202e\u2066-\u2069]/)
})

test('the page is in the best match of what the browser reads, or in what its address says', async () => {
  const service = await startTestService()
  const { publicKey } = await makeTeam(service.database)
  const open = async (query: string, accept?: string) => {
    const { body, headers } = await service.send('GET', `/c/${publicKey}${query}`, {
      headers: accept === undefined ? {} : { 'accept-language': accept },
    })
    expect(headers.get('vary')).toContain('Accept-Language')
    return /<html lang="(\w+)" dir="(\w+)">/.exec(String(body))?.slice(1)
  }
  expect(await open('', 'de-CH, en;q=0.5')).toEqual(['de', 'ltr'])
  expect(await open('', 'sv, zh;q=0.9, ja;q=0.2')).toEqual(['ja', 'ltr'])
  expect(await open('', 'fr;q=0, pt-BR;q=0.1')).toEqual(['pt', 'ltr'])
  expect(await open('', 'sv, *;q=0.1')).toEqual(['en', 'ltr'])
  expect(await open('', `${'x,'.repeat(2_000)}de`)).toEqual(['en', 'ltr'])
  expect(await open('?lang=ar', 'de')).toEqual(['ar', 'rtl'])
  expect(await open('?lang=<script>&lang=de', 'nl')).toEqual(['nl', 'ltr'])
  for (const language of languages) expect((await open(`?lang=${language}`))?.[0]).toBe(language)
  await service.close()
})

function read(language: string): Texts {
  return JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8'))
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort()
}
