import { sizes } from '@earshot/contracts'
import {
  createWidget,
  listAttempts,
  listAuditEntries,
  listDeliveries,
  listInvitations,
  listMembers,
  listProjects,
  listPublicKeys,
  listSubmissions,
  listTeams,
  listTokens,
  listWebhooks,
  readEvents,
  readPublicWidget,
  readSubmissionFeed,
  type SubmissionFilters,
  type Tx,
  type WidgetFields,
} from '@earshot/db'
import { indexSearch } from '@earshot/db/dispatch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeCursor, type PageQuery } from '../../db/src/sql/pages.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { fillLargeProject, type LargeProject } from './large-project.ts'
import { explain, recording } from './statement-plan.ts'

const PAGE = { limit: 25 }
/** A page and the one row that tells whether it goes on. */
const PAGE_ROWS = PAGE.limit + 1
/** The bound of every list, with room for the page itself. */
const MAX_SCANNED_ROWS = 2_100
/** The candidates that a search looks up at once, in the order of their segments. */
const MAX_CANDIDATES = 256
/** Large segments and small ones. */
const INDEXED = { newRecords: 128, mergedSegments: 10, minAgeSeconds: 0 }

let store: TestDatabase
let place: LargeProject
beforeAll(async () => {
  store = await openTestDatabase()
  place = await fillLargeProject(store)
  await store.database.client`
    insert into search_lists (team_id, project_id, list_id, due_at) values (${place.id}, ${place.project.project_id}, ${place.project.project_id}, now() - interval '1 second')`
  while (await indexSearch(store.database, INDEXED));
  await store.database.client.unsafe('analyze search_lists; analyze search_segments')
}, 120_000)
afterAll(() => store.close())

const submissionFilters: Record<string, SubmissionFilters> = {
  'no filter': {},
  state: { state: 'rejected' },
  kind: { kind: 'video' },
  'a rare kind': { kind: 'testimonial' },
  'a common tag': { tag: 'common' },
  'a rare tag': { tag: 'rare' },
  'no such tag': { tag: 'absent' },
  'a common value of the metadata': { metadata: { plan: 'team' } },
  'a rare value of the metadata': { metadata: { plan: 'team', order: 'A-77' } },
  'state and kind': { state: 'rejected', kind: 'testimonial' },
  'tag and state': { tag: 'common', state: 'rejected' },
  channel: { channel: 'mcp' },
  stars: { min_rating: 5 },
  videos: { has_video: true },
  'a word of many': { search: 'more' },
  'a word of one': { search: '12345' },
  'two words of one': { search: '12345 word' },
  'a word of none': { search: 'absent' },
  'two letters': { search: 'mo' },
  'a word and a state': { search: 'more', state: 'rejected' },
  'all at once': { tag: 'common', state: 'approved', kind: 'video', channel: 'api', min_rating: 1, has_video: true, search: 'more' },
}

const pages: Record<string, () => Partial<PageQuery>> = {
  'first page': () => ({}),
  'deep page': () => ({ cursor: encodeCursor(place.middle.id) }),
  'span of time': () => ({ created_after: '2020-01-01T00:00:00Z', created_before: new Date(place.middle.created_at).toISOString() }),
}

for (const [filter, filters] of Object.entries(submissionFilters)) {
  for (const [page, bounds] of Object.entries(pages)) {
    const query = () => ({ ...place.project, ...PAGE, ...filters, ...bounds() })
    test(`submissions by ${filter}, ${page}`, () =>
      requireBounded((tx) => listSubmissions(tx, query(), { searchEmail: true }, ({ id }) => id), { isSearch: 'search' in filters }))
  }
}

test.each(
  Object.entries({
    'no filter': {},
    kind: { kind: 'video' as const },
    tag: { tag: 'common' },
    stars: { min_rating: 5 },
    'no such tag': { tag: 'absent' },
  }),
)('public items by %s', (_name, filters) =>
  requireBounded((tx) => listSubmissions(tx, { ...place.project, ...PAGE, ...filters }, { publicOnly: true }, ({ id }) => id)),
)

test.each(
  Object.entries({
    'no filter': {},
    state: { state: 'failed' as const },
    type: { event_type: 'team.updated' },
    event: { event_id: '01900000-0000-7000-8000-000000000000' },
    replay: { replay_id: '01900000-0000-7000-8000-000000000000' },
    'a span of time': { created_after: '2020-01-01T00:00:00Z' },
    'a span of time and state': { created_after: '2020-01-01T00:00:00Z', state: 'failed' as const },
    'replay and state': { replay_id: '01900000-0000-7000-8000-000000000000', state: 'failed' as const },
  }),
)('deliveries by %s', (_name, filters) =>
  requireBounded((tx) => listDeliveries(tx, { team_id: place.id, webhook_id: place.webhookId, ...PAGE, ...filters }, ({ id }) => id)),
)

test.each(['no filter', 'delivery', 'status', 'outcome', 'time'])('attempts by %s', (name) => {
  const filters = {
    delivery: { delivery_id: place.deliveryId },
    status: { status_code: 500 },
    outcome: { outcome: 'failed' as const },
    time: { created_after: '2020-01-01T00:00:00Z' },
  }[name]
  return requireBounded((tx) => listAttempts(tx, { team_id: place.id, webhook_id: place.webhookId, ...PAGE, ...filters }, ({ id }) => id))
})

test.each(
  Object.entries({
    'no filter': {},
    'a rare action': { action: 'team.renamed' },
    'a span of time': { created_after: '2020-01-01T00:00:00Z' },
  }),
)('the audit log by %s', (_name, filters) =>
  requireBounded((tx) => listAuditEntries(tx, { team_id: place.id, ...PAGE, ...filters }, ({ id }) => id)),
)

test.each(
  Object.entries({ 'no filter': {}, 'a rare type': { types: ['team.updated'] }, 'a type that never came': { types: ['video.ready'] } }),
)('the change feed by %s', async (_name, filters) => {
  for (const order of ['oldest_first', 'newest_first'] as const)
    await requireBounded((tx) => readEvents(tx, { team_id: place.id, ...PAGE, ...filters, order }, ({ id }) => id))
})

test.each(['the oldest', 'from the middle', 'up to date'])('the feed of submissions, %s', async (name) => {
  const positions = await store.database.run<{ position: string }>(
    'select position from submission_feed where team_id = $1 and project_id = $2 order by position',
    [place.id, place.project.project_id],
  )
  const { position } = positions[name === 'the oldest' ? 0 : Math.floor(positions.length / (name === 'up to date' ? 1 : 2)) - 1] ?? {
    position: '0',
  }
  const query = { ...place.project, ...PAGE, cursor: `f${BigInt(position).toString(36)}` }
  expect((await readSubmissionFeed(store.database, query, (change) => change)).results).toHaveLength(name === 'up to date' ? 0 : PAGE.limit)
  await requireBounded((tx) => readSubmissionFeed(tx, query, ({ submission_id }) => submission_id))
})

test.each(
  Object.entries({
    'no filter': {},
    'a rare state': { state: 'revoked' as const },
    'a state that none has': { state: 'expired' as const },
  }),
)('invitations by %s', (_name, filters) =>
  requireBounded((tx) => listInvitations(tx, { team_id: place.id, ...PAGE, ...filters }, ({ id }) => id)),
)

const identity = ({ id }: { id: string }) => id
test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['projects', (tx) => listProjects(tx, { team_id: place.id, ...PAGE }, identity)],
  ['public keys', (tx) => listPublicKeys(tx, { ...place.project, ...PAGE }, identity)],
  ['webhooks', (tx) => listWebhooks(tx, { team_id: place.id, ...PAGE }, identity)],
  ['members', (tx) => listMembers(tx, { team_id: place.id, ...PAGE }, identity)],
  ['tokens', (tx) => listTokens(tx, place.ownerId, PAGE, identity)],
  ['teams', (tx) => listTeams(tx, place.ownerId, PAGE, identity)],
])('%s', (_name, list) => requireBounded(list))

/** Rows of the widget and of what it stands on, beside the items. */
const WIDGET_ROWS = 10
test.each<[string, WidgetFields]>([
  ['with featured items first', { item_order: 'featured' }],
  ['with the newest first', { item_order: 'newest' }],
  ['with the best rated first', { item_order: 'rating' }],
  ['with a rare tag', { item_order: 'featured', filter_tags: ['rare'] }],
  ['with a rare kind', { item_order: 'newest', filter_kinds: ['testimonial'] }],
])('a widget %s', async (_what, fields) => {
  const actor = { userId: place.ownerId, credentialId: null, credentialKind: 'operator' as const, ip: null }
  const { id } = await createWidget(store.database, actor, place.project, { name: 'Wall', layout: 'wall', ...fields })
  const tx = recording(store.database)
  await readPublicWidget(tx, { ...place.project, widget_id: id })
  for (const statement of tx.sent) {
    const { wholeReads, scannedRows } = await explain(store.database.client, 'generic', statement)
    expect(wholeReads).toEqual([])
    expect(scannedRows).toBeLessThanOrEqual(2 * sizes.widgetScanRows + WIDGET_ROWS)
  }
})

/** Whatever the size of the tables: no table is read whole, nothing but the page is sorted, and the walk ends. */
async function requireBounded(list: (tx: Tx) => Promise<unknown>, { isSearch = false } = {}): Promise<void> {
  const tx = recording(store.database)
  await list(tx)
  // Beside its setting a search asks for its limits and its words; then it walks, or reads segments and looks up candidates.
  const planned = tx.sent.filter(({ text }) => !text.startsWith('set '))
  if (isSearch) expect(planned.length).toBeLessThanOrEqual(11)
  else expect(planned).toHaveLength(1)
  for (const statement of planned) {
    for (const mode of ['custom', 'generic'] as const) {
      const { wholeReads, sortedRows, scannedRows } = await explain(store.database.client, mode, statement)
      expect({ mode, wholeReads }).toEqual({ mode, wholeReads: [] })
      expect(Math.max(0, ...sortedRows), `rows sorted, ${mode} plan`).toBeLessThanOrEqual(isSearch ? MAX_CANDIDATES : PAGE_ROWS)
      expect(scannedRows, `rows scanned, ${mode} plan`).toBeLessThanOrEqual(MAX_SCANNED_ROWS)
    }
  }
}
