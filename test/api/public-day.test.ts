import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const MAX = 3
const WORDS = { body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } }
const ADDRESS = '198.51.100.7'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService({ services: { publicWritesPerDay: MAX / 10_000 }, trustProxy: () => true })
})
afterAll(() => service.close())
beforeEach(async () => {
  team = await makeTeam(service.database)
})

test('an address may write so many times to a project on a day, and no more until midnight (UTC)', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => leave()))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(MAX).fill(201), ...Array(20 - MAX).fill(429)])
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.body).toMatchObject({ code: 'rate_limited' })
  const left = (Math.ceil(Date.now() / 86_400_000) * 86_400_000 - Date.now()) / 1000
  expect(Math.abs(Number(refused?.headers.get('retry-after')) - left)).toBeLessThan(60)
  expect(await service.database.run('select id from submissions where team_id = $1', [team.id])).toHaveLength(MAX)
  await nextDay()
  expect((await leave()).status).toBe(201)
})

test('other addresses, other projects and reads are not refused', async () => {
  await Promise.all(Array.from({ length: MAX + 1 }, () => leave()))
  expect((await leave()).status).toBe(429)
  expect((await leave({ from: '198.51.100.8' })).status).toBe(201)
  const read = await service.send('GET', `/api/public/v1/projects/${team.publicKey}/items/`, { headers: { 'x-forwarded-for': ADDRESS } })
  expect(read.status).toBe(200)
  team = await makeTeam(service.database)
  expect((await leave()).status).toBe(201)
})

test('writes beyond the day are no violation: the address is not blocked', async () => {
  await Promise.all(Array.from({ length: 30 }, () => leave()))
  expect(await service.database.run('select from abuse_blocks', [])).toEqual([])
})

test('a large body counts for the day too, once', async () => {
  const body = 'x'.repeat(9_000)
  const statuses: number[] = []
  for (let number = 0; number <= MAX; number += 1) statuses.push((await leave({ body: `${number} ${body}` })).status)
  expect(statuses).toEqual([...Array(MAX).fill(201), 429])
})

let number = 0
function leave({ from = ADDRESS, body }: { from?: string; body?: string } = {}) {
  number += 1
  const words = { ...WORDS, body: body ?? `Lovely ${number}` }
  return service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, {
    body: words,
    headers: { 'x-forwarded-for': from },
  })
}

async function nextDay(): Promise<void> {
  await service.database.run(
    "update rate_windows set window_start = window_start - interval '1 day' where starts_with(subject, 'day:')",
    [],
  )
}
