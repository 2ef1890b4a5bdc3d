import { createProject } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

const AT_ONCE = 8

let store: TestDatabase
beforeAll(async () => {
  store = await openTestDatabase()
})
afterAll(() => store.close())

test('projects of one name created at the same time get different slugs, in transactions too', async () => {
  const { database } = store
  const team = await makeTeam(database)
  const actor = { userId: team.ownerId, credentialId: null, credentialKind: 'operator', ip: null }
  const alone = Array.from({ length: AT_ONCE }, () => createProject(database, actor, team.id, { name: 'Same name' }))
  const inTransactions = Array.from({ length: AT_ONCE }, () =>
    database.transaction((tx) => createProject(tx, actor, team.id, { name: 'Same name' })),
  )
  const slugs = (await Promise.all([...alone, ...inTransactions])).map(({ slug }) => slug)
  expect(new Set(slugs).size).toBe(2 * AT_ONCE)
  expect(slugs.every((slug) => /^same-name(-[0-9a-f]{6})?$/.test(slug))).toBe(true)
})
