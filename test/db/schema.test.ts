import { getTableName, is, SQL, sql } from 'drizzle-orm'
import { getTableConfig, type PgColumn, PgDialect, PgTable } from 'drizzle-orm/pg-core'
import type { Sql, TransactionSql } from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as accounts from '../../db/src/tables/accounts.ts'
import * as auditLog from '../../db/src/tables/audit-log.ts'
import * as credentials from '../../db/src/tables/credentials.ts'
import * as events from '../../db/src/tables/events.ts'
import * as idempotency from '../../db/src/tables/idempotency.ts'
import * as imageCopies from '../../db/src/tables/image-copies.ts'
import * as imports from '../../db/src/tables/imports.ts'
import * as invitations from '../../db/src/tables/invitations.ts'
import * as jwtKeys from '../../db/src/tables/jwt-keys.ts'
import * as keyRoutes from '../../db/src/tables/key-routes.ts'
import * as mails from '../../db/src/tables/mails.ts'
import * as members from '../../db/src/tables/members.ts'
import * as mfa from '../../db/src/tables/mfa.ts'
import * as notifications from '../../db/src/tables/notifications.ts'
import * as oauth from '../../db/src/tables/oauth.ts'
import * as plans from '../../db/src/tables/plans.ts'
import * as privacy from '../../db/src/tables/privacy.ts'
import * as projects from '../../db/src/tables/projects.ts'
import * as publicKeys from '../../db/src/tables/public-keys.ts'
import * as quotas from '../../db/src/tables/quotas.ts'
import * as rateLimits from '../../db/src/tables/rate-limits.ts'
import * as search from '../../db/src/tables/search.ts'
import * as submissionFeed from '../../db/src/tables/submission-feed.ts'
import * as submissions from '../../db/src/tables/submissions.ts'
import * as surveys from '../../db/src/tables/surveys.ts'
import * as teams from '../../db/src/tables/teams.ts'
import * as tokens from '../../db/src/tables/tokens.ts'
import * as unusedBlobs from '../../db/src/tables/unused-blobs.ts'
import * as users from '../../db/src/tables/users.ts'
import * as videos from '../../db/src/tables/videos.ts'
import * as webhooks from '../../db/src/tables/webhooks.ts'
import * as widgets from '../../db/src/tables/widgets.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** Kept by the migrations themselves, and never read by the product. */
const BOOKKEEPING = ['schema_functions', 'schema_migrations', 'schema_progress']
const CLONES = 9

const tables = [
  accounts,
  auditLog,
  credentials,
  events,
  idempotency,
  imageCopies,
  imports,
  invitations,
  jwtKeys,
  keyRoutes,
  mails,
  members,
  mfa,
  notifications,
  oauth,
  plans,
  privacy,
  projects,
  publicKeys,
  quotas,
  rateLimits,
  search,
  submissionFeed,
  submissions,
  surveys,
  teams,
  tokens,
  unusedBlobs,
  users,
  videos,
  webhooks,
  widgets,
].flatMap((file) => Object.values<unknown>(file).filter((value) => is(value, PgTable)))
const tableNames = tables.map((table) => getTableName(table)).sort()
const dialect = new PgDialect()

let store: TestDatabase
let client: Sql
beforeAll(async () => {
  store = await openTestDatabase()
  client = store.database.client
})
afterAll(() => store.close())

test('every table of the database has its mirror in the sources, and every mirror its table', async () => {
  const rows = await client<{ name: string }[]>`
    select relname as name
      from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
     order by relname collate "C"`
  expect(rows.map(({ name }) => name).filter((name) => !BOOKKEEPING.includes(name))).toEqual(tableNames)
})

// The mirrors are created as tables beside the migrated ones, so that PostgreSQL itself spells both the same way.
test('types, nullability, defaults, generated columns and primary keys are those of the migrations', async () => {
  const mirrored = await client.begin(async (tx) => {
    await tx.unsafe('set local role none; create schema mirror')
    for (const table of tables) await tx.unsafe(createTable(table))
    const columns = await catalogueOf(tx, 'mirror')
    await tx.unsafe('drop schema mirror cascade')
    return columns
  })
  expect(mirrored.length).toBeGreaterThan(100)
  expect(mirrored).toEqual(await catalogueOf(client, 'public'))
})

test('tables of a team are keyed by the team first, but for the one that finds the team of a key', async () => {
  const rows = await client<{ name: string; first: string | null }[]>`
    select c.relname as name, k.attname as first
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id'
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
      left join pg_attribute k on k.attrelid = c.oid and k.attnum = i.indkey[0]
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     order by c.relname`
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(({ first }) => first !== 'team_id')).toEqual([
    { name: 'key_routes', first: 'key_hash' },
    // Queues: no key, so that a write pays for no index that nothing reads.
    { name: 'submission_feed_waiting', first: null },
    { name: 'unnumbered_events', first: null },
  ])
})

test('tables of a team are bound to one team for the serving role, and to none for the worker', async () => {
  const rows = await client<{ name: string; enabled: boolean; policies: string[] }[]>`
    select c.relname as name, c.relrowsecurity as enabled,
           array(select p.policyname || ' to ' || array_to_string(p.roles, ',')
                   from pg_policies p
                  where p.schemaname = 'public' and p.tablename = c.relname
                  order by p.policyname) as policies
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and (c.relname = 'teams' or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id'))`
  for (const row of rows) {
    expect(row).toEqual({ name: row.name, enabled: true, policies: ['every_team to earshot_worker', 'one_team to earshot_app'] })
  }
})

test('a test gets a database of its own by cloning the template', async () => {
  const tookMs: number[] = []
  for (let round = 0; round < CLONES; round += 1) {
    const startedMs = performance.now()
    const clone = await openTestDatabase()
    tookMs.push(performance.now() - startedMs)
    expect(await clone.database.run('select count(*)::int as count from plans', [])).toEqual([{ count: 3 }])
    await clone.close()
  }
  const median = tookMs.sort((a, b) => a - b)[Math.floor(CLONES / 2)]
  console.log(`template clone: median ${median?.toFixed(0)} ms of ${CLONES}`)
})

function createTable(table: PgTable): string {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const keyed = primaryKeys.flatMap((key) => key.columns)
  const key = keyed.length > 0 ? keyed : columns.filter(({ primary }) => primary)
  const keyText = key.length > 0 ? [`primary key (${key.map((column) => `"${column.name}"`).join(', ')})`] : []
  const parts = [...columns.map(columnText), ...keyText]
  return `create table mirror."${name}" (${parts.join(', ')})`
}

function columnText(column: PgColumn): string {
  const { default: given, generated, generatedIdentity } = column
  return [
    `"${column.name}" ${column.getSQLType()}`,
    column.notNull ? 'not null' : '',
    given === undefined ? '' : `default ${textOf(is(given, SQL) ? given : sql`${sql.param(given, column)}`)}`,
    generated ? `generated always as (${textOf(generated.as as SQL)}) stored` : '',
    generatedIdentity ? `generated ${generatedIdentity.type === 'always' ? 'always' : 'by default'} as identity` : '',
  ].join(' ')
}

function textOf(query: SQL): string {
  return dialect.sqlToQuery(query.inlineParams()).sql
}

/** Whether a generated column is stored is the migrations' own affair: the sources cannot say it. */
function catalogueOf(tx: Sql | TransactionSql, schema: string) {
  return tx`
    select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as not_null,
           pg_get_expr(d.adbin, d.adrelid) as expression, a.attgenerated <> '' as generated, a.attidentity as identity,
           array_position(i.indkey::int[], a.attnum::int) as key_position
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
     where c.relnamespace = ${schema}::regnamespace and c.relname = any (${tableNames}::text[])
     order by c.relname, a.attname`
}
