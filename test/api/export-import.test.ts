import type { Testimonial } from '@earshot/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImport, endOf, importsPath, upload } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

const RECORDS = 10_000
const SEED = 20_261_124
const TIMEOUT_MS = 300_000

let service: TestService
let worker: Awaited<ReturnType<typeof startWholeWorker>>
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 1_000 })
  await service.close()
})

test('an export of 10,000 records can be imported again with nothing lost', { timeout: TIMEOUT_MS }, async () => {
  const from = await makeTeam(service.database)
  await fill(from)
  const csv = await exported(from)

  const to = await makeTeam(service.database)
  const done = await importBytes(to, csv)
  expect(done).toMatchObject({ state: 'completed', preset: 'earshot', totals: { rows: RECORDS, created: RECORDS, skipped: 0, failed: 0 } })
  const [before, after] = [await carriedBy(from), await carriedBy(to)]
  expect(after.length).toBe(RECORDS)
  for (const [number, record] of before.entries()) expect(after[number]).toEqual(record)

  // The same file once more adds nothing.
  expect((await importBytes(to, csv)).totals).toMatchObject({ rows: RECORDS, created: 0, skipped: RECORDS })
})

const instant = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
/** What makes CSV and spreadsheets stumble, and every language. */
const sign = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('=', '+', '-', '@', '\t', '＝', "'", '"', ',', ';', '\r\n', '\n', '\r', ' ', '|') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('ü', 'ß', '日本', 'العربية', 'עברית', 'हिन्दी', 'Ελληνικά', '🎉', '👩‍👩‍👧', '\u{FEFF}', 'é', '﷽'),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }) },
)
const storable = (value: string) => !value.includes('\0') && value.isWellFormed()
const text = (maxLength: number) =>
  fc
    .array(sign, { minLength: 1, maxLength })
    .map((signs) => signs.join(''))
    .filter(storable)
const some = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null })

const record = fc.record({
  title: some(text(12)),
  body: text(40),
  rating: some(fc.integer({ min: 1, max: 5 })),
  author_name: text(8),
  author_email: some(fc.nat(500).map((number) => `person${number}@example.com`)),
  author_title: some(text(6)),
  author_company: some(text(6)),
  author_website_url: some(fc.constant('https://example.com/?a=1,2;"3"')),
  consent_granted: fc.boolean(),
  consent_text: some(text(8)),
  consent_granted_at: instant,
  consent_revoked_at: some(instant),
  source_provider: some(text(4)),
  source_collected_at: some(instant),
  language: some(fc.constantFrom('en', 'pt-BR', 'zh-Hant')),
  tags: fc.uniqueArray(text(5), { maxLength: 3 }),
  has_own_id: fc.boolean(),
  metadata: fc.dictionary(
    text(3).filter((key) => key !== '__proto__'),
    fc.oneof(text(6), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.nat(), { maxLength: 2 })),
    { maxKeys: 3 },
  ),
  featured: fc.boolean(),
  position: some(fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((place) => place + 0)),
})

async function fill({ project }: Team): Promise<void> {
  const records = fc.sample(record, { numRuns: RECORDS, seed: SEED }).map(({ has_own_id, consent_granted_at, ...fields }, number) => ({
    ...fields,
    consent_granted_at: fields.consent_granted ? consent_granted_at : null,
    external_id: has_own_id ? `=ID-${number}` : null,
    excerpt: number % 3 === 0 ? Array.from(fields.body).slice(0, 5).join('') : null,
  }))
  await service.database.run(
    `insert into submissions (team_id, project_id, kind, channel, title, body, rating, author_name, author_email, author_title, author_company,
       author_website_url, consent_granted, consent_text, consent_granted_at, consent_revoked_at, source_provider, source_collected_at,
       language, tags, external_id, metadata, featured, excerpt, position)
     select $1, $2, 'testimonial', 'api', title, body, rating, author_name, author_email, author_title, author_company,
       author_website_url, consent_granted, consent_text, consent_granted_at, consent_revoked_at, source_provider, source_collected_at,
       language, coalesce(tags, '{}'), external_id, metadata, featured, excerpt, position
       from jsonb_populate_recordset(null::submissions, $3::jsonb)`,
    [project.team_id, project.project_id, JSON.stringify(records)],
  )
}

async function exported({ project, token }: Team): Promise<Buffer> {
  const chunks = await Array.fromAsync(service.client(token).submissions.export(project).csv())
  return Buffer.concat(chunks)
}

async function importBytes(team: Team, bytes: Buffer) {
  const reserved = await createImport(service, team, { size_bytes: bytes.length, suppress_events: true })
  expect((await upload(service, team, reserved, bytes)).status).toBe(200)
  await service.send('POST', importsPath(team, `${reserved.id}/complete/`), { token: team.token })
  return endOf(service, team, reserved)
}

/** What an import carries of each record, in the order of the external ids that it has after an import. */
async function carriedBy({ project, token }: Team): Promise<object[]> {
  const records: (Testimonial & { id: string })[] = []
  for await (const one of service.client(token).submissions.export(project)) records.push(one as never)
  return records
    .map(({ id, title, body, rating, author, consent, source, language, tags, external_id, metadata, featured, excerpt, position }) => ({
      ...{ title, body, rating, author, consent, source, language, tags, metadata, featured, excerpt, position },
      external_id: external_id ?? id,
    }))
    .toSorted((one, other) => (one.external_id < other.external_id ? -1 : 1))
}
