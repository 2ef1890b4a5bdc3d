import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** How far the medians may lie apart. */
const TOLERANCE = 0.1
const MAX_ROUNDS = 5

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

interface Question {
  what: string
  path: string
  body: (email: string) => unknown
  /** The shorter they take, the more of them it needs to see through what else the machine does. */
  calls: number
}

const questions: Question[] = [
  { what: 'signing in', path: '/api/auth/session/', body: (email) => ({ email, password: 'a horse of another colour' }), calls: 200 },
  { what: 'signing up', path: '/api/auth/signup/', body: (email) => ({ email, password: PASSWORD, name: 'Ada' }), calls: 400 },
  { what: 'asking for a new password', path: '/api/auth/password-reset/', body: (email) => ({ email }), calls: 800 },
]

for (const { what, path, body, calls } of questions) {
  test(`${what} reveals neither by its response nor by its time whether an address has an account`, { timeout: 120_000 }, async () => {
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    const answers = new Set<string>()
    const ask = async (kind: 'known' | 'unknown', email: string) => {
      const before = performance.now()
      const answer = await service.send('POST', path, { body: body(email) })
      times[kind].push(performance.now() - before)
      answers.add(JSON.stringify([answer.status, { ...answer.body, request_id: null }]))
    }
    const gap = () => {
      const [a, b] = [median(times.known), median(times.unknown)]
      return Math.abs(a - b) / Math.min(a, b)
    }
    // More calls where something else took the processor: a difference that is there does not go away.
    for (let round = 0; round < MAX_ROUNDS && (round === 0 || gap() >= TOLERANCE); round += 1) {
      for (const [index, email] of (await makeAddresses(calls / 2)).entries()) {
        const pair = [() => ask('known', email), () => ask('unknown', `${randomUUID()}@example.com`)]
        // In turns the first, so that neither has what the other warmed up.
        for (const one of index % 2 ? pair : pair.reverse()) await one()
      }
    }
    const { known, unknown } = times
    console.log(
      `${what}, ${known.length} times each: ${median(known).toFixed(2)} ms with an account, ${median(unknown).toFixed(2)} ms without`,
    )
    expect(answers.size).toBe(1)
    expect(gap()).toBeLessThan(TOLERANCE)
  })
}

/** Accounts of their own, with one password. */
async function makeAddresses(count: number): Promise<string[]> {
  const { id } = await makeUser(service.database, PASSWORD)
  const rows = await service.database.run<{ email: string }>(
    `insert into users (email, name, password_hash, email_verified_at)
     select uuidv7() || '@example.com', 'Ada', password_hash, now()
       from users, generate_series(1, $2::int) where id = $1
     returning email`,
    [id, count],
  )
  return rows.map(({ email }) => email)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
