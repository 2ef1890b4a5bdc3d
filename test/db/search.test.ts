import { deleteSubmission, listResponses, listSubmissions, type SubmissionFilters } from '@earshot/db'
import { foldSubmissionChanges, type IndexingSizes, indexSearch } from '@earshot/db/dispatch'
import { purgeDeleted } from '@earshot/db/maintenance'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'

/** Small, so that few records fill many segments. */
const SIZES: IndexingSizes = { newRecords: 8, mergedSegments: 3, minAgeSeconds: 0 }
const STATES = ['pending', 'approved', 'rejected'] as const
/** Letters that fold into each other, letters of other scripts, and signs with a meaning in patterns. */
const LETTERS = [...'aaaabbbceäÀßẞﬁ①İı%_\\한글かカが日本語東京', 'e\u0301', '👍']

interface Record {
  id: string
  body: string
  author_email: string | null
  state: (typeof STATES)[number]
  tags: string[]
}

let store: TestDatabase
let team: Team
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 6 })
})
beforeEach(async () => {
  team = await makeTeam(store.database)
})
afterAll(() => store.close())

const word = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 9 }).map((letters) => letters.join(''))
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))

test('every search returns what a full scan of the texts returns, indexed or not', { timeout: 120_000 }, async () => {
  const step = fc.record({
    texts: fc.array(text, { minLength: 0, maxLength: 40 }),
    isIndexed: fc.boolean(),
    deleted: fc.nat(),
  })
  const search = fc.record({
    from: fc.nat(),
    start: fc.nat(6),
    length: fc.integer({ min: 1, max: 7 }),
    other: fc.option(word, { freq: 4 }),
    filter: fc.constantFrom<SubmissionFilters>({}, { state: 'approved' }, { tag: 'even' }, { channel: 'api' }),
    searchEmail: fc.boolean(),
    limit: fc.constantFrom(1, 3, 100),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 5 }), fc.array(search, { minLength: 3, maxLength: 8 }), async (steps, searches) => {
      team = await makeTeam(store.database)
      for (const { texts, isIndexed, deleted } of steps) {
        const added = await add(texts)
        const gone = added[deleted % 20]
        if (gone) await deleteSubmission(store.database, actor(), { ...team.project, submission_id: gone.id })
        if (isIndexed) await index()
      }
      const records = await readAll()
      for (const { from, start, length, other, filter, searchEmail, limit } of searches) {
        const source = records.length === 0 ? 'abc' : ((records[from % records.length] as Record).body.split(' ')[0] as string)
        const part =
          [...source]
            .slice(start % source.length)
            .slice(0, length)
            .join('') || 'a'
        const searched = [part, ...(other === null ? [] : [other])].join(' ')
        const wanted = records.filter((one) => matches(one, searched, { searchEmail }) && isLet(one, filter)).map(({ id }) => id)
        // A part may be nothing but an accent.
        if (folded(searched).trim() === '') continue
        const found = await walk({ search: searched, ...filter }, { searchEmail, limit })
        expect(found, JSON.stringify({ searched, filter, searchEmail })).toEqual(wanted)
      }
    }),
    { numRuns: 60 },
  )
})

test('of 5,000 records one request finds the only one with a word, its part or two words, however old', async () => {
  await add(
    Array.from({ length: 5_000 }, (_value, n) => (n === 17 ? 'Onboarding with Zoë in 東京都 took a week' : `Common words number ${n}`)),
  )
  await index({ ...SIZES, newRecords: 256 })
  const oldest = (await readAll()).at(-18)?.id
  for (const search of ['onboarding', 'ONBOARD', 'boardin', 'zoe', '東京', 'week onboarding']) {
    expect(await pageOf({ search }), search).toEqual({ results: [oldest], next_cursor: null })
  }
  expect(await pageOf({ search: 'tokyo' })).toEqual({ results: [], next_cursor: null })
})

test('a search looks up a bounded number of records: a common word with a rare filter takes several pages', async () => {
  await add(Array.from({ length: 3_000 }, () => 'Common words'))
  await store.database
    .client`update submissions set channel = 'mcp' where id = (select id from submissions where team_id = ${team.id} order by id limit 1)`
  await index({ ...SIZES, newRecords: 1_000 })
  const first = await pageOf({ search: 'common', channel: 'mcp' })
  expect(first.results).toEqual([])
  expect(first.next_cursor).not.toBeNull()
  expect(await walk({ search: 'common', channel: 'mcp' }, { limit: 25 })).toHaveLength(1)
})

test('a record that was committed late is found when its segment is built again', async () => {
  await add(Array.from({ length: 8 }, () => 'Early words'))
  const [late] = await store.database.client<{ id: string }[]>`select uuidv7() as id`
  await add(Array.from({ length: 8 }, () => 'Later words'))
  await index()
  await store.database.client`
    insert into submissions (team_id, project_id, id, kind, channel, body, author_name)
    values (${team.id}, ${team.project.project_id}, ${late?.id ?? ''}, 'text', 'api', 'Overtaken', 'Ada')`
  expect(await walk({ search: 'overtaken' })).toEqual([])
  await add(Array.from({ length: 8 }, () => 'Latest words'))
  await index()
  expect(await walk({ search: 'overtaken' })).toEqual([late?.id])
})

test('two workers that index at once leave every record in one segment', async () => {
  await add(Array.from({ length: 200 }, (_value, n) => `Number ${n}`))
  await noteChanges()
  const { client } = store.database
  let isOver = false
  const work = async () => {
    while (!isOver) {
      // As if the lease of the other had ended.
      await client`update search_lists set due_at = now() - interval '1 second' where team_id = ${team.id}`
      await indexSearch(store.database, SIZES)
    }
  }
  const working = Promise.all([work(), work(), work()])
  await until('all records are indexed', async () => countIn(await readSegments()) >= 200)
  isOver = true
  await working
  const segments = await readSegments()
  expect(countIn(segments)).toBe(200)
  expect(new Set(segments.flatMap(({ ids }) => ids)).size).toBe(200)
  expect(await walk({ search: 'number' })).toHaveLength(200)
})

test('what is purged leaves no trace in the index', async () => {
  const added = await add(Array.from({ length: 16 }, (_value, n) => (n === 3 ? 'Extraordinary' : 'Words')))
  await index()
  const before = await readSegments()
  await store.database.client`update submissions set deleted_at = now() - interval '25 hours' where id = ${added[3]?.id ?? ''}`
  await purgeDeleted(store.database)
  await index()
  const after = await readSegments()
  expect(before.flatMap(({ ids }) => ids)).toContain(added[3]?.id)
  expect(after.flatMap(({ ids }) => ids)).not.toContain(added[3]?.id)
  expect(after.map(({ record_count }) => record_count)).toEqual([7, 8])
  expect(after[0]?.bits.equals(before[0]?.bits ?? Buffer.alloc(0))).toBe(false)
  expect(after[1]?.bits.equals(before[1]?.bits ?? Buffer.alloc(0))).toBe(true)
})

test('responses are found by the words of their answers and the name of their respondent', async () => {
  const { client } = store.database
  const [survey] = await client<{ id: string }[]>`
    insert into surveys (team_id, project_id, name) values (${team.id}, ${team.project.project_id}, 'Survey') returning id`
  const survey_id = survey?.id ?? ''
  const answers = (value: string) => [
    { question_id: 'q1', type: 'long_text', value },
    { question_id: 'q2', type: 'email', value: 'grace@example.com' },
    { question_id: 'q3', type: 'single_choice', value: 'hidden_choice' },
  ]
  for (let n = 0; n < 20; n += 1) {
    await client`
      insert into survey_responses (team_id, project_id, survey_id, survey_version, answers, channel, day, respondent_name, respondent_email)
      values (${team.id}, ${team.project.project_id}, ${survey_id}, 1, ${JSON.stringify(answers(n === 2 ? 'Fantastic onboarding' : 'Fine'))}::text::jsonb, 'api',
              current_date, ${n === 1 ? 'Ada Lovelace' : 'Bob'}, 'ada@example.com')`
  }
  const all = await client<{ id: string }[]>`select id from survey_responses where survey_id = ${survey_id} order by id desc`
  const find = async (search: string, searchEmail = false) =>
    (await listResponses(store.database, { ...team.project, survey_id, limit: 100, search }, { searchEmail }, ({ id }) => id)).results
  const look = async () => ({
    words: await find('onboard fantas'),
    name: await find('lovelace'),
    choice: await find('hidden_choice'),
    email: await find('ada@example'),
    answer: await find('grace@'),
    seen: [(await find('ada@example', true)).length, (await find('grace@', true)).length],
  })
  const wanted = { words: [all[17]?.id], name: [all[18]?.id], choice: [], email: [], answer: [], seen: [20, 20] }
  expect(await look()).toEqual(wanted)
  await client`insert into search_lists (team_id, project_id, list_id, due_at) values (${team.id}, ${team.project.project_id}, ${survey_id}, now() - interval '1 second')`
  while (await indexSearch(store.database, SIZES));
  expect((await readSegments()).map(({ record_count }) => record_count)).toEqual([8, 8])
  expect(await look()).toEqual(wanted)
})

/** Adds submissions with these texts, oldest first; every second one is tagged. */
async function add(texts: string[]): Promise<{ id: string }[]> {
  return store.database.client<{ id: string }[]>`
    with added as (
      insert into submissions (team_id, project_id, kind, state, channel, body, author_name, author_email, tags)
      select ${team.id}, ${team.project.project_id}, 'text', (${[...STATES]}::text[])[1 + n % 3], 'api', body, 'Zed', 'mail' || n || '@example.com',
             case when n % 2 = 0 then array['even'] else '{}' end
        from unnest(${texts}::text[]) with ordinality t (body, n)
       order by n
      returning *
    ),
    tagged as (
      insert into submission_tags (team_id, project_id, tag, submission_id) select team_id, project_id, 'even', id from added where tags <> '{}'
    )
    select id from added order by id`
}

/** Indexes what there is of the team, as the worker does. */
async function index(sizes = SIZES): Promise<void> {
  await noteChanges()
  while (await indexSearch(store.database, sizes));
}

async function noteChanges(): Promise<void> {
  while ((await foldSubmissionChanges(store.database, { max: 10_000 })) > 0);
  await store.database.client`update search_lists set due_at = now() - interval '1 second' where team_id = ${team.id}`
}

async function readSegments() {
  const rows = await store.database.client<{ record_count: number; ids: Buffer; bits: Buffer }[]>`
    select record_count, ids, bits from search_segments where team_id = ${team.id} order by oldest_id`
  return rows.map(({ record_count, ids, bits }) => ({ record_count, bits, ids: uuidsIn(ids) }))
}

function countIn(segments: { record_count: number }[]): number {
  return segments.reduce((sum, { record_count }) => sum + record_count, 0)
}

function uuidsIn(bytes: Buffer): string[] {
  const hex = bytes.toString('hex').match(/.{32}/g) ?? []
  return hex.map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
}

/** Newest first. */
function readAll(): Promise<Record[]> {
  return store.database.client<Record[]>`
    select id, body, author_email, state, tags from submissions where team_id = ${team.id} and deleted_at is null order by id desc`
}

function pageOf(filters: SubmissionFilters, { searchEmail = false, limit = 25, cursor = undefined as string | undefined } = {}) {
  return listSubmissions(store.database, { ...team.project, ...filters, limit, cursor }, { searchEmail }, ({ id }) => id)
}

async function walk(filters: SubmissionFilters, options: { searchEmail?: boolean; limit?: number } = {}): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = await pageOf(filters, { ...options, cursor })
    ids.push(...page.results)
    cursor = page.next_cursor
  }
  return ids
}

/** Another way to compare texts without case and accents than the service's. */
function folded(text: string): string {
  const plain = text.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll('ß', 'ss')
  return plain.replace(/[\u0300-\u036f]/g, '')
}

function matches({ body, author_email }: Record, search: string, { searchEmail }: { searchEmail: boolean }): boolean {
  const whole = folded(['Zed', body, searchEmail ? author_email : ''].join(' '))
  return folded(search)
    .split(/\s+/)
    .every((part) => whole.includes(part))
}

function isLet({ state, tags }: Record, filter: SubmissionFilters): boolean {
  return (!filter.state || state === filter.state) && (!filter.tag || tags.includes(filter.tag))
}

function actor() {
  return { userId: team.ownerId, credentialId: null, credentialKind: 'operator' as const, ip: null }
}
