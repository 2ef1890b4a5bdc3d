import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCredential, type PresentedCredential } from '../support/credentials.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { holdRateWindows, nextRateWindow } from '../support/rate-windows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** Of a limit of 1,000 an hour, and of 100 for requests whose credential is unknown. */
const MAX = 20
const UNKNOWN_MAX = 2

let service: TestService
let teams: Team[]
beforeAll(async () => {
  service = await startTestService({ rateLimitMultiplier: MAX / 1000 })
  await holdRateWindows(service.address)
  teams = [await makeTeam(service.database), await makeTeam(service.database)]
})
afterAll(() => service.close())

/** Sends all at once: requests that come together are authorized by one statement. */
async function sendAll(requests: { path: string; credential: PresentedCredential }[]) {
  await nextRateWindow(service.database)
  const answers = await Promise.all(requests.map(({ path, credential }) => service.send('GET', path, credential)))
  return answers.map(({ status, body, headers }) => ({ status, body, remaining: Number(headers.get('x-ratelimit-remaining')) }))
}

const times = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, index) => item(index))
const from = (first: number, count: number) => times(count, (index) => first - index)

test('callers who come together each get their own account, team and refusal', async () => {
  const [one, other] = teams as [Team, Team]
  const credentials = await Promise.all(
    teams.flatMap(({ ownerId }) => (['pat', 'oauth2', 'session'] as const).map((kind) => makeCredential(service, ownerId, kind))),
  )
  const asked = credentials.flatMap((credential, index) => {
    const own = index < 3 ? one : other
    const foreign = index < 3 ? other : one
    return [
      { path: '/api/v1/me/', credential, expected: { status: 200, body: { user: { id: own.ownerId } } } },
      { path: `/api/v1/teams/${own.id}/`, credential, expected: { status: 200, body: { id: own.id } } },
      { path: `/api/v1/teams/${foreign.id}/`, credential, expected: { status: 404, body: { code: 'not_found' } } },
    ]
  })
  const unknown = { path: '/api/v1/me/', credential: { token: 'svc_unknown' }, expected: { status: 401, body: { code: 'invalid_token' } } }
  const mixed = [...asked, unknown].toSorted((a, b) => a.path.localeCompare(b.path))
  const answers = await sendAll(mixed)
  for (const [index, answer] of answers.entries()) expect(answer).toMatchObject(mixed[index]?.expected ?? {})
})

test('a limit counts each of the requests that come together, whatever they show, and those of others beside them', async () => {
  const [one, other] = teams as [Team, Team]
  const kinds = await Promise.all((['pat', 'oauth2'] as const).map((kind) => makeCredential(service, one.ownerId, kind)))
  const path = '/api/v1/me/'
  const ofOne = times(MAX + 5, (index) => ({ path, credential: kinds[index % 2] ?? {} }))
  const ofOther = times(3, () => ({ path, credential: { token: other.token } }))
  const ofNobody = times(UNKNOWN_MAX + 2, (index) => ({ path, credential: { token: `svc_${index}` } }))
  const answers = await sendAll([...ofOne, ...ofOther, ...ofNobody])

  const remainingOf = (status: number, requests: typeof answers) =>
    requests.filter((answer) => answer.status === status).map(({ remaining }) => remaining)
  const descending = (numbers: number[]) => numbers.toSorted((a, b) => b - a)
  const some = answers.slice(0, ofOne.length)
  expect(descending(remainingOf(200, some))).toEqual(from(MAX - 1, MAX))
  expect(remainingOf(429, some)).toEqual(times(5, () => 0))
  expect(descending(remainingOf(200, answers.slice(ofOne.length, -ofNobody.length)))).toEqual(from(MAX - 1, 3))
  const unknown = answers.slice(-ofNobody.length)
  expect(descending(remainingOf(401, unknown))).toEqual(from(UNKNOWN_MAX - 1, UNKNOWN_MAX))
  expect(remainingOf(429, unknown)).toEqual([0, 0])
})

test('a credential’s last use is noted once a minute, also when its requests come together', async () => {
  const [{ token }] = teams as [Team]
  const lastUse = async () => {
    const [row] = await service.database.run<{ at: string | null }>(
      "select last_used_at::text as at from credentials where hash = sha256(convert_to($1, 'UTF8'))",
      [token],
    )
    return row?.at
  }
  const use = (count: number) => sendAll(times(count, () => ({ path: '/api/v1/me/', credential: { token } })))
  await use(5)
  const first = await lastUse()
  expect(first).toBeTruthy()
  await use(5)
  expect(await lastUse()).toBe(first)
  await service.database.run("update credentials set last_used_at = last_used_at - interval '61 seconds'", [])
  await use(5)
  expect(Date.parse(String(await lastUse()))).toBeGreaterThan(Date.parse(String(first)))
})
