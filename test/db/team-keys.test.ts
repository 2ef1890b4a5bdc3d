import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** The only table that is not spread by team: it says to which team a key leads whose holder names none. */
const ROUTING_TABLE = 'key_routes_pkey'

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase()
})
afterAll(() => store.close())

test('every unique key of a team’s table has the team, but for that of the routing table', async () => {
  const keys = await store.database.run<{ name: string }>(
    `select i.indexrelid::regclass::text as name
       from pg_index i
       join pg_class t on t.oid = i.indrelid and t.relnamespace = 'public'::regnamespace and not t.relispartition
       join pg_attribute team on team.attrelid = t.oid and team.attname = 'team_id'
      where i.indisunique and team.attnum <> all (i.indkey::int2[])
      order by 1`,
    [],
  )
  expect(keys.map(({ name }) => name)).toEqual([ROUTING_TABLE])
})
