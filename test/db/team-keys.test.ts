import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** Unique keys of a team's tables without the team, each with who asks by it. A new one needs a reason as good. */
const WITHOUT_TEAM: Record<string, string> = {
  invitations_token: 'the invited person shows the token alone, and belongs to no team yet',
  public_keys_key: 'a page of the public plane names its project by the key alone',
  submissions_revoke_token: 'a visitor who withdraws consent shows the token alone',
}

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase()
})
afterAll(() => store.close())

test('every unique key of a team’s table has the team, but for those by which a caller without a team asks', async () => {
  const keys = await store.database.run<{ name: string }>(
    `select i.indexrelid::regclass::text as name
       from pg_index i
       join pg_class t on t.oid = i.indrelid and t.relnamespace = 'public'::regnamespace and not t.relispartition
       join pg_attribute team on team.attrelid = t.oid and team.attname = 'team_id'
      where i.indisunique and team.attnum <> all (i.indkey::int2[])
      order by 1`,
    [],
  )
  expect(keys.map(({ name }) => name)).toEqual(Object.keys(WITHOUT_TEAM))
})
