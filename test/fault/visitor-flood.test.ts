import { randomBytes } from 'node:crypto'
import { createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const FLOODING = 8
const FLOOD_REQUESTS = 1_200
const HONEST = 150
const WAVES = 10

let store: TestDatabase
const replicas: TestService[] = []
beforeAll(async () => {
  store = await openTestDatabase()
  const settings = { rateLimitMultiplier: 1, trustProxy: () => true }
  const secretBox = createSecretBox(randomBytes(32))
  for (let count = 0; count < 2; count += 1) replicas.push(await startTestService({ ...settings, services: { secretBox } }, { store }))
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()))
  await store.close()
})

test.for([1, 20])(
  'beside eight addresses that flood two replicas, every other visitor of %i teams is served, without a deadlock',
  async (count) => {
    const teams = await Promise.all(Array.from({ length: count }, () => makeTeam(store.database)))
    const statuses: Record<string, number[]> = { flood: [], honest: [] }
    for (let wave = 0; wave < WAVES; wave += 1) {
      const senders = [
        ...Array.from({ length: FLOOD_REQUESTS / WAVES }, (_, number) => ['flood', `203.0.113.${number % FLOODING}`] as const),
        ...Array.from({ length: HONEST / WAVES }, (_, number) => ['honest', `10.${count}.${wave}.${number}`] as const),
      ]
      const answers = await Promise.all(
        senders.map(([, address], number) => leave(at(teams, number), { address, number: wave * 1_000 + number })),
      )
      for (const [index, [who]] of senders.entries()) statuses[who]?.push(answers[index] ?? Number.NaN)
    }
    expect(new Set(statuses.honest)).toEqual(new Set([201]))
    expect(statuses.flood?.filter((status) => status !== 201 && status !== 429)).toEqual([])
    expect(statuses.flood).toContain(429)
    const [found] = await store.database.run('select deadlocks::int from pg_stat_database where datname = current_database()', [])
    expect(found).toEqual({ deadlocks: 0 })
  },
)

async function leave(team: Team, { address, number }: { address: string; number: number }): Promise<number> {
  const answer = await at(replicas, number).send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, {
    body: { body: `Words ${number}`, author: { name: 'Ada' }, consent: { granted: true } },
    headers: { 'x-forwarded-for': address },
  })
  return answer.status
}

function at<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length]
  if (!item) throw new Error('There is at least one')
  return item
}
