import { afterAll, beforeAll, expect, test } from 'vitest'
import { arriveTogether } from '../support/arrive-together.ts'
import { makeTeam } from '../support/people.ts'
import { holdRateWindows, nextRateWindow } from '../support/rate-windows.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const TEAMS = 3
const READS = 30
/** Public reads of an address in a minute. */
const MAX = 120

let store: TestDatabase
let service: TestService
beforeAll(async () => {
  store = await openTestDatabase({ poolSize: 6 })
  service = {
    ...(await startTestService({ database: store.database, rateLimitMultiplier: 1, trustProxy: () => true })),
    database: store.database,
  }
  await holdRateWindows(store.address)
})
afterAll(async () => {
  await service.close()
  await store.close()
})

test('visitors who come together share statements, and each gets the project of the own key and the count of the own address', async () => {
  const teams = await Promise.all(Array.from({ length: TEAMS }, () => makeTeam(store.database)))
  const names = await Promise.all(
    teams.map(async ({ token, project }, index) => {
      const { name } = await service.client(token).projects.update({ ...project, name: `Project ${index}` })
      return name
    }),
  )
  await nextRateWindow(store.database)
  const sent = store.statements.length
  const answers = await arriveTogether(
    service,
    Array.from({ length: READS }, (_, index) => async () => {
      // Each team has visitors of its own addresses, and every fifth reader a key that does not exist.
      const isUnknown = index % 5 === 4
      const key = isUnknown ? 'pk_000000000000000000000000' : teams[index % TEAMS]?.publicKey
      const headers = { 'x-forwarded-for': `203.0.113.${index % TEAMS}` }
      const { status, body, headers: got } = await service.send('GET', `/api/public/v1/projects/${key}/`, { headers })
      expect([index, status, body.name]).toEqual([index, ...(isUnknown ? [404, undefined] : [200, names[index % TEAMS]])])
      return { address: index % TEAMS, remaining: Number(got.get('x-ratelimit-remaining')) }
    }),
  )
  for (let address = 0; address < TEAMS; address += 1) {
    const remaining = answers.filter((answer) => answer.address === address).map((answer) => answer.remaining)
    expect(remaining.toSorted((a, b) => b - a)).toEqual(Array.from({ length: READS / TEAMS }, (_, index) => MAX - 1 - index))
  }
  const shared = store.statements.slice(sent).filter((text) => text.includes('public_access'))
  expect(shared.length).toBeLessThan(READS / 2)
})
