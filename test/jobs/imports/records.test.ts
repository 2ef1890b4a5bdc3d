import { contracts, type ImportField, importFields } from '@earshot/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { defaultDedupeBy } from '../../../jobs/src/imports/mapping.ts'
import { recognizeHeader } from '../../../jobs/src/imports/presets.ts'
import { createRecordReader } from '../../../jobs/src/imports/record.ts'
import { columnsOf } from '../../../server/src/http/columns.ts'
import { toCsv } from '../../../server/src/http/csv.ts'
import { opening, problemOf, readAll } from './read.ts'

type Exported = ReturnType<typeof exportedOf>

const instant = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
const character = fc.oneof(
  fc.constantFrom('=', '+', '-', '@', '\t', '＝', "'", '"', ',', ';', '\r\n', '\n', '\r', ' ', 'ü', '🎉', '\u{FEFF}'),
  fc.string({ minLength: 1, maxLength: 1 }),
)
const text = (maxLength: number) => fc.array(character, { minLength: 1, maxLength }).map((parts) => parts.join(''))
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const exported = fc
  .record({
    title: optional(text(20)),
    body: text(60),
    rating: optional(fc.integer({ min: 1, max: 5 })),
    name: text(20),
    email: optional(fc.constantFrom('ada@example.com', '+49@example.com', "'-a@example.com")),
    job: optional(text(20)),
    url: optional(fc.constant('https://example.com/a?b=c,d')),
    granted: fc.boolean(),
    revoked: optional(instant),
    collected: optional(instant),
    language: optional(fc.constantFrom('en', 'de-DE')),
    tags: fc.uniqueArray(text(10), { maxLength: 3 }),
    external: optional(text(20)),
    metadata: fc.dictionary(
      fc.string({ maxLength: 5 }).filter((key) => key !== '__proto__'),
      fc.oneof(text(10), fc.integer(), fc.boolean(), fc.constant(null)),
      { maxKeys: 3 },
    ),
    // Not -0, which JSON does not tell from 0 either.
    position: optional(fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((place) => place + 0)),
  })
  .map(exportedOf)

/** A record as the API exports it. */
function exportedOf(parts: { body: string; name: string; [field: string]: unknown }) {
  const { title, body, rating, language, tags, metadata, position } = parts
  const id = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'
  return {
    ...{ id, team_id: id, project_id: id, kind: 'testimonial', state: 'approved', channel: 'api', title, body, rating },
    author: { name: parts.name, email: parts.email, title: parts.job, company: parts.job, avatar_url: parts.url, website_url: parts.url },
    consent: { granted: parts.granted, text: parts.job, granted_at: parts.collected, revoked_at: parts.revoked },
    source: { provider: parts.job, url: parts.url, collected_at: parts.collected },
    ...{ language, tags, external_id: parts.external, metadata, video_id: null, import_id: null },
    moderation: { by: null, at: null, reason: null },
    ...{ public: false, created_at: '2026-11-20T09:30:00.000Z', updated_at: '2026-11-20T09:30:00.000Z' },
    ...{ featured: true, excerpt: body, position },
  }
}

/** What an import carries of an exported record. In a cell an empty text is none, so fields that are null are absent. */
function carried({
  id,
  title,
  body,
  rating,
  author,
  consent,
  source,
  language,
  tags,
  external_id,
  metadata,
  featured,
  excerpt,
  position,
}: Exported) {
  const { revoked_at, ...given } = consent
  const fields = { title, body, rating, author, consent: given, source, language, tags, external_id: external_id ?? id, metadata }
  return { ...withoutNull({ ...fields, featured, excerpt, position }), consent_revoked_at: revoked_at }
}

function withoutNull(value: object): object {
  const entries = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(
    entries.map(([key, field]) => [key, ['author', 'consent', 'source'].includes(key) ? withoutNull(field) : field]),
  )
}

test('an export of ours comes back without loss', async () => {
  const columns = columnsOf<Exported>(contracts.submissions.export.output)
  await fc.assert(
    fc.asyncProperty(fc.array(exported, { minLength: 1, maxLength: 5 }), async (records) => {
      const { format, rows } = await readAll(opening(toCsv(records, columns, { isFirst: true })))
      expect(format.preset).toBe('earshot')
      expect(rows.map(({ content }) => content)).toEqual(records.map((record) => ({ record: carried(record) })))
    }),
    { numRuns: 200 },
  )
})

test('a column of every field is read, and no cell throws', () => {
  const columns = [...importFields, 'metadata.plan', 'metadata.__proto__'] as const
  const mapping = Object.fromEntries(columns.map((column): [string, ImportField] => [column, column]))
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '4', 'true', '2026-11-20', '3/4/2026', '{}', '[]', 'a@example.com', '__proto__'),
  )
  fc.assert(
    fc.property(fc.array(cell, { maxLength: columns.length }), fc.constantFrom('earshot' as const, null), (cells, preset) => {
      const read = createRecordReader({ encoding: 'utf-8', delimiter: ',', columns, preset, mapping, dateOrder: null, ratingScale: null })
      const content = read(cells.map((text) => text.toWellFormed()))
      expect('record' in content ? content.record.body : content.detail).toMatch(/\S/)
    }),
    { numRuns: 500 },
  )
})

test('a mapping goes over what is recognized, column by column and field by field', async () => {
  const { format, rows } = await readAll(opening('Name,Quote,Text,Plan\nAda,short,long,team\n'), {
    mapping: { Quote: 'body', Plan: 'metadata.plan' },
  })
  expect(format.mapping).toEqual({ Name: 'author.name', Quote: 'body', Plan: 'metadata.plan' })
  expect(rows[0]?.content).toMatchObject({ record: { body: 'short', metadata: { plan: 'team' } } })
})

test('of several columns of a field the last one counts that is not empty', async () => {
  const mapping = { First: 'author.name', Second: 'author.name' } as const
  const { rows } = await readAll(opening('First,Second,Text\nA,B,x\nA,,x\n,,x\n'), { mapping })
  expect(rows.map(({ content }) => 'record' in content && content.record.author.name)).toEqual(['B', 'A', 'Anonymous'])
})

test('metadata and its keys are one object, whatever the order of the columns', async () => {
  const mapping = { plan: 'metadata.plan', all: 'metadata' } as const
  const { rows } = await readAll(opening('plan,all,text\nteam,"{""n"":1}",x\n,[],y\n'), { mapping })
  expect(rows[0]?.content).toMatchObject({ record: { metadata: { plan: 'team', n: 1 } } })
  expect(rows.map(problemOf)).toEqual([null, { column: 'all', code: 'invalid_format', detail: 'metadata must be a JSON object' }])
})

test('the dates of the first rows decide the order, unless they contradict each other or the request says it', async () => {
  const read = (dates: string[], options = {}) =>
    readAll(opening(['text,date', ...dates.map((date) => `x,${date}`)].join('\n')), options).then(({ format }) => format.dateOrder)
  expect(await read(['3/4/2026', '20/11/2026'])).toBe('dmy')
  expect(await read(['3/4/2026', '11/20/2026'])).toBe('mdy')
  expect(await read(['3/4/2026', '4/3/2026'])).toBeNull()
  expect(await read(['20/11/2026', '11/20/2026'])).toBeNull()
  expect(await read(['20/11/2026'], { dateOrder: 'mdy' })).toBe('mdy')
})

test('records that exist are recognized by what the file has', () => {
  expect(defaultDedupeBy({ a: 'body', b: 'author.email', c: 'external_id' })).toBe('external_id')
  expect(defaultDedupeBy({ a: 'body', b: 'author.email' })).toBe('email+body')
  expect(defaultDedupeBy({ a: 'body' })).toBe('none')
})

test('columns named like properties of objects are columns', () => {
  expect(recognizeHeader(['constructor', 'toString', '__proto__', 'text'])).toEqual({ preset: null, mapping: { text: 'body' } })
})

test('a job title is no position, and ids that count rows are no external ids', () => {
  expect(recognizeHeader(['Id', 'Position', 'Text']).mapping).toEqual({ Text: 'body' })
})
