import { createWidget, type Database, type DatabaseAddress, openDatabase, type WidgetFields } from '@earshot/db'
import { indexSearch } from '@earshot/db/dispatch'
import { startEmbeddedPostgres } from '@earshot/db/embedded'
import { prepareDatabase } from '@earshot/db/schema'
import type { Sql } from 'postgres'
import { openPlain } from '../plain-client.ts'
import { createTeams, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'
import { type FilledSurvey, fillResponses, makeSurvey } from './responses.ts'

const OTHER_SUBMISSIONS = 20
const WIDGETS = {
  featured: { item_order: 'featured' },
  rating: { item_order: 'rating' },
  tag: { item_order: 'newest', filter_tags: ['rare'] },
} satisfies Record<string, WidgetFields>

/** A database with the project that the cases use. */
export interface GrowthDatabase {
  database: Database
  team: Team
  /** A submission in the middle of the project. */
  middle: { id: string; created_at: string }
  /** Ids of pending submissions to moderate. */
  pending: string[]
  /** Ids of widgets, by what they show. */
  widgets: Record<keyof typeof WIDGETS, string>
  survey: FilledSurvey
  indexing: Indexing
}

/** What the index for searches takes for each record. */
interface Indexing {
  us: number
  bytes: number
  walBytes: number
}

/** Opens a small database with one team and a large one with many other teams, both in one PostgreSQL. */
export async function openGrowthDatabases(sizes: { small: number; large: number; otherTeams: number }) {
  const stack = new AsyncDisposableStack()
  const directory = stack.use(createTemporaryDirectory())
  const server = await startEmbeddedPostgres({ dataDir: directory.path })
  stack.defer(server.stop)
  const smallAddress = { ...server.connection, database: 'small' }
  await onServer(server.connection, (client) => client.unsafe('create database small'))
  const small = await openGrowthDatabase(smallAddress, stack, { submissions: sizes.small, otherTeams: 0 })
  const large = await openGrowthDatabase(server.connection, stack, { submissions: sizes.large, otherTeams: sizes.otherTeams })
  return { small, large, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function openGrowthDatabase(
  address: DatabaseAddress,
  stack: AsyncDisposableStack,
  { submissions, otherTeams }: { submissions: number; otherTeams: number },
): Promise<GrowthDatabase> {
  await prepareDatabase(address)
  const database = openDatabase({ address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot bench' })
  stack.defer(database.close)
  const [team, ...others] = await createTeams(database, 1 + otherTeams)
  if (!team) throw new Error('The database has no team.')
  const survey = await makeSurvey(database, team)
  for (const other of others) await makeSurvey(database, other)
  let indexing: Indexing = { us: 0, bytes: 0, walBytes: 0 }
  await onServer(address, async (client) => {
    await fillSubmissions(client, [team], submissions)
    await fillSubmissions(client, others, OTHER_SUBMISSIONS)
    await fillResponses(client, { team, survey }, submissions)
    await client`
      insert into search_lists (team_id, project_id, list_id, due_at)
      select ${team.id}, ${team.project_id}, unnest(array[${team.project_id}, ${survey.id}]::uuid[]), now() - interval '1 second'`
    indexing = await measureIndexing(client, database, 2 * submissions)
    await client`vacuum analyze`
    await client`checkpoint`
  })
  const [middle] = await database.client<[GrowthDatabase['middle']]>`
    select id, created_at from submissions where team_id = ${team.id} order by id offset ${Math.floor(submissions / 2)} limit 1`
  const pending = await database.client<{ id: string }[]>`
    select id from submissions where team_id = ${team.id} and state = 'pending' and id >= ${middle.id} order by id limit 1000`
  return { database, team, middle, pending: pending.map(({ id }) => id), widgets: await makeWidgets(database, team), survey, indexing }
}

/** Indexes all records, as a worker does in steps. One connection waits for the other side in turn, so the time is processor time. */
async function measureIndexing(client: Sql, database: Database, records: number): Promise<Indexing> {
  const read = async () =>
    (
      await client<[{ size: number; wal: number }]>`
      select pg_total_relation_size('search_segments')::float8 as size, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`
    )[0]
  const before = await read()
  const startedMs = performance.now()
  while (await indexSearch(database));
  const tookMs = performance.now() - startedMs
  const after = await read()
  return { us: (1_000 * tookMs) / records, bytes: (after.size - before.size) / records, walBytes: (after.wal - before.wal) / records }
}

async function makeWidgets(database: Database, { id, project_id }: Team): Promise<GrowthDatabase['widgets']> {
  const actor = { userId: null, credentialId: null, credentialKind: 'bench', ip: null }
  const make = async (fields: WidgetFields) =>
    (await createWidget(database, actor, { team_id: id, project_id }, { name: 'Bench', layout: 'wall', ...fields })).id
  return { featured: await make(WIDGETS.featured), rating: await make(WIDGETS.rating), tag: await make(WIDGETS.tag) }
}

/** Inserts submissions a minute apart. Triggers are off, so it also inserts the tags and figures that they would. */
export async function fillSubmissions(client: Sql, teams: Team[], count: number): Promise<void> {
  for (const { id, project_id } of teams) {
    await client`
      insert into submissions (team_id, project_id, id, kind, state, channel, body, rating, author_name, author_company, consent_granted, tags, external_id, day, metadata)
      select ${id}, ${project_id}, uuidv7(make_interval(mins => i - ${count}::int)),
             case when i % 10 = 0 then 'video' else 'text' end,
             case when i % 10 < 6 then 'approved' when i % 10 < 8 then 'rejected' else 'pending' end,
             case when i % 3 = 0 then 'api' else 'public' end,
             'Word' || i || ' saved us a week, and more than that.'
               || case when i = 77 then ' Onboarding with Zoë in 東京都.' when i % 100 = 0 then ' Helpful people.' else '' end,
             nullif(i % 6, 0), 'Author ' || i, 'Analytical Engines', i % 4 > 0,
             case when i % 5 = 0 then array['launch'] when i % 333 = 0 then array['rare'] else '{}' end,
             case when i % 7 = 0 then 'A-' || i end,
             (now() + make_interval(mins => i - ${count}::int))::date,
             case when i % 5 = 0 then '{"plan": "team"}' else '{}' end::jsonb
        from generate_series(1, ${count}::int) i`
    await client`
      insert into submission_tags (team_id, project_id, tag, submission_id)
      select team_id, project_id, unnest(tags), id from submissions where team_id = ${id}`
    await client`
      insert into submission_metadata (team_id, project_id, key, value, submission_id)
      select team_id, project_id, 'plan', 'team', id from submissions where team_id = ${id} and metadata <> '{}'`
    await client`
      insert into submission_totals (team_id, project_id, kind, state, count)
      select team_id, project_id, kind, state, count(*) from submissions where team_id = ${id} group by team_id, project_id, kind, state`
    await client`
      insert into submission_days (team_id, project_id, day, dimension, value, count, sum)
      select team_id, project_id, day, f.dimension, f.value, count(*), 0
        from submissions
       cross join lateral (values ('all', ''), ('state', state), ('kind', kind), ('channel', channel), ('rating', coalesce(rating::text, 'none')),
                                  ('public', case when is_public then '' end)) f (dimension, value)
       where team_id = ${id} and f.value is not null
       group by team_id, project_id, day, f.dimension, f.value`
  }
}

async function onServer(address: DatabaseAddress, work: (client: Sql) => Promise<unknown>): Promise<void> {
  const client = openPlain(address, 1, { session_replication_role: 'replica' })
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
