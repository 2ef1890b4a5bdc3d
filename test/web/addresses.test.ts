import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { only, readFlag } from '../../web/src/dashboard/address.ts'
import { readAuditSearch } from '../../web/src/dashboard/audit-log/address.ts'
import { readEventsSearch } from '../../web/src/dashboard/events/address.ts'
import { isNarrowed, listInput, readFilters } from '../../web/src/dashboard/inbox/filters.ts'
import { readBuilder, readResponses, readResults } from '../../web/src/dashboard/surveys/address.ts'
import { queryOf, listInput as responsesInput } from '../../web/src/dashboard/surveys/responses/list-input.ts'
import { readTagsSearch } from '../../web/src/dashboard/tags/address.ts'
import { narrowing, readFilters as readWordsFilters } from '../../web/src/dashboard/testimonials/filters.ts'
import { readEndpointSearch } from '../../web/src/dashboard/webhooks/address.ts'

/** The router reads and writes addresses by these; its build for `require` would warn. */
const router: typeof import('@tanstack/react-router') = await import(import.meta.resolve('@tanstack/react-router'))

/** The filters that a page reads from an address. */
const read = (search: string) => router.defaultParseSearch(search)

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme' }),
  // Texts that JSON would read as something else.
  fc.constantFrom('true', 'null', '007', '1e3', '12345678901234567890', '"quoted"', '{}', '[1]', '-0', 'a b&c=d#e?', '%41', '+'),
)
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const state = optional(fc.constantFrom('pending', 'approved', 'rejected'))
const channel = optional(fc.constantFrom('public', 'api', 'mcp', 'import', 'dashboard'))
const rating = optional(fc.constantFrom(1, 2, 3, 4, 5))
const words = optional(text)
const version = optional(fc.integer({ min: 1, max: 1_000 }))

describe('what a page shows is the same after it was written into the address and read again:', () => {
  test.each([
    [
      'inbox',
      fc.record({
        state,
        kind: optional(fc.constantFrom('text', 'video', 'testimonial')),
        channel,
        tag: words,
        min_rating: rating,
        q: words,
        item: words,
      }),
      readFilters,
    ],
    [
      'testimonials',
      fc.record({
        ...{ kind: optional(fc.constantFrom('text', 'video')), state, featured: optional(fc.constant(true)), tag: words },
        ...{ min_rating: rating, q: words, item: words, view: optional(fc.constantFrom('order', 'new')) },
      }),
      readWordsFilters,
    ],
    [
      'survey builder',
      fc.record({ tab: optional(fc.constantFrom('questions', 'translations', 'settings')), question: words, language: words }),
      readBuilder,
    ],
    [
      'survey responses',
      fc.record({
        ...{ channel, group: optional(fc.constantFrom('promoters', 'passives', 'detractors')), q: words, question_id: words },
        ...{ value: words, response: words, language: words, version },
      }),
      readResponses,
    ],
    ['survey results', fc.record({ range: optional(fc.constantFrom('7', '30', '90', '365')), language: words, version }), readResults],
    ['events', fc.record({ view: optional(fc.constant('types')), type: words, item: words }), readEventsSearch],
    ['audit log', fc.record({ action: words, after: optional(fc.constant('2026-11-03T09:00')) }), readAuditSearch],
    ['tags', fc.record({ rename: words, delete: words }), readTagsSearch],
    [
      'webhook endpoint',
      fc.record({
        ...{
          tab: fc.constantFrom('deliveries', 'attempts', 'figures', 'settings'),
          outcome: optional(fc.constantFrom('succeeded', 'failed')),
        },
        ...{ type: words, event: words, replay: words, item: words, status: optional(fc.integer({ min: 100, max: 599 })) },
        ...{ days: optional(fc.constantFrom(1, 7, 30)), before: optional(fc.constant('2026-11-03T09:00')) },
      }),
      readEndpointSearch,
    ],
  ] as const)('%s', (_page, searches: fc.Arbitrary<object>, reader: (search: Record<string, unknown>) => object) => {
    fc.assert(
      fc.property(searches, (search) => {
        const address = router.defaultStringifySearch(search)
        expect(only(reader)(read(address))).toEqual(search)
      }),
      { numRuns: 60 },
    )
  })
})

describe('an address that was typed by hand is understood:', () => {
  test.each([
    ['?q=2026', { q: '2026' }],
    ['?tag=2026&item=7', { tag: '2026', item: '7' }],
    ['?min_rating=4', { min_rating: 4 }],
    ['?min_rating=%224%22', { min_rating: 4 }],
    ['?state=approved&kind=video&channel=api', { state: 'approved', kind: 'video', channel: 'api' }],
  ])('%s', (address, filters) => {
    expect(readFilters(read(address))).toEqual(filters)
  })
})

describe('what a page does not know of an address is left out:', () => {
  test.each([
    ['?state=gone', {}],
    ['?state=approved&kind=audio&channel=fax', { state: 'approved' }],
    ['?min_rating=6', {}],
    ['?min_rating=abc&q=', {}],
    ['?q={"a":1}&tag=[1]', {}],
    ['?unknown=1', {}],
  ])('%s', (address, filters) => {
    expect(readFilters(read(address))).toEqual(filters)
  })

  test('the router does not keep it beside the rest', () => {
    expect(only(readFilters)({ state: 'approved', evil: 'x' })).toEqual({ state: 'approved', evil: undefined })
    expect(router.defaultStringifySearch(only(readFilters)({ state: 'approved', evil: 'x' }))).toBe('?state=approved')
  })

  test('a status that no response has, days that no figure has, and a tab that there is not', () => {
    expect(readEndpointSearch(read('?status=99&days=2&tab=gone'))).toEqual({ tab: 'deliveries' })
    expect(readEndpointSearch(read('?status=600&after=yesterday'))).toEqual({ tab: 'deliveries' })
    expect(readEndpointSearch(read('?status=200.5'))).toEqual({ tab: 'deliveries' })
  })

  test('a version that no survey has, and a day that is none', () => {
    expect(readResults(read('?version=0&from=3.11.2026&range=8'))).toEqual({})
    expect(readResults(read('?version=1.5&to=2026-11-03'))).toEqual({ to: '2026-11-03' })
  })
})

test('a dialog is opened by true alone', () => {
  expect([read('?create=true'), read('?create=1'), read('?create=yes'), read('')].map(readFlag('create'))).toEqual([
    { create: true },
    {},
    {},
    {},
  ])
})

test('the inbox without filters asks for the pending submissions, by the key under which the document brings them', () => {
  expect(listInput(readFilters(read('')))).toEqual({ state: 'pending' })
})

test('the inbox asks for what its filters say, and not for what is open', () => {
  const filters = readFilters(read('?state=rejected&kind=video&channel=api&tag=press&min_rating=3&q=week&item=ada'))
  expect(listInput(filters)).toEqual({ state: 'rejected', kind: 'video', channel: 'api', tag: 'press', min_rating: 3, search: 'week' })
})

test('neither the state nor what is open narrows the inbox', () => {
  expect(isNarrowed({ state: 'approved', item: 'ada' })).toBe(false)
  for (const search of ['?q=a', '?tag=a', '?kind=text', '?channel=api', '?min_rating=1'])
    expect(isNarrowed(readFilters(read(search)))).toBe(true)
})

test('neither the kind, nor what is open, nor the form narrows the testimonials', () => {
  expect(narrowing({ kind: 'video', item: 'ada', view: 'new', tag: 'press', featured: true })).toEqual({ tag: 'press', featured: true })
})

test('the responses of a group are those of its scores', () => {
  const bounds = ['promoters', 'passives', 'detractors'].map((group) => responsesInput(readResponses({ group })))
  expect(bounds).toEqual([{ min_score: 9 }, { min_score: 7, max_score: 8 }, { max_score: 6 }])
})

test('an export of responses has the filters of the list', () => {
  const input = responsesInput(readResponses(read('?q=too+slow&version=2&question_id=q1&value=true&response=open&language=de')))
  expect(input).toEqual({ search: 'too slow', survey_version: 2, question_id: 'q1', value: 'true', language: 'de' })
  expect(queryOf(input, 'csv')).toBe('language=de&question_id=q1&value=true&search=too+slow&survey_version=2&format=csv')
})
