import { prepareDatabase } from '@earshot/db/schema'
import { expect, test } from 'vitest'
import { openRemoteDatabase } from '../support/remote-database.ts'

test('a start restores the plans of its version, and leaves those of later code alone', async () => {
  await using remote = await openRemoteDatabase()
  const readFree = () => remote.database.run(`select features from plans where name = 'free'`, [])
  const before = await readFree()
  await remote.asOwner((sql) => sql`update plans set features = '{later}' where name = 'free'`)
  await remote.asOwner((sql) => sql`update schema_functions set version = version + 1`)
  await prepareDatabase(remote.address)
  expect(await readFree()).toEqual([{ features: ['later'] }])
  await remote.asOwner((sql) => sql`update schema_functions set version = version - 1`)
  await prepareDatabase(remote.address)
  expect(await readFree()).toEqual(before)
})
