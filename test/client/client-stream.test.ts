import { createClient, EarshotApiError, EarshotConnectionError, EarshotTimeoutError, type ExpiredCursor } from '@earshot/contracts/client'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { playService, refusal } from '../cli/fake-service.ts'
import { number } from '../support/event-stream.ts'
import { loseLastEvent } from '../support/feed.ts'
import { makeTeam } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const TEAM = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'
const sse = { 'content-type': 'text/event-stream' }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a stream is iterated with typed events and resumes from its cursor', async () => {
  const team = await makeTeam(service.database)
  const { events } = service.client(team.token)
  let begun: string | undefined
  const emit = async () => {
    const { id } = await team.submit({ body: 'one\ntwo' })
    await number(service)
    return id
  }
  const submissions: string[] = []
  const made: string[] = []
  const take = async (cursor: string | undefined, count: number) => {
    const options = { onReady: (at: string) => (begun ??= at) }
    for await (const item of events.stream({ team_id: team.id, cursor, types: ['submission.created'] }, options)) {
      expectTypeOf(item.data.type).toExtend<string>()
      if (item.data.type === 'submission.created') submissions.push(item.data.data.submission.id)
      expect(JSON.parse(item.text)).toEqual(item.data)
      if (submissions.length === count) return item.cursor
    }
    return undefined
  }
  const first = take(undefined, 1)
  await expect.poll(() => begun).toMatch(/^f/)
  made.push(await emit())
  const cursor = await first
  made.push(await emit(), await emit())
  await take(cursor, 3)
  expect(submissions).toEqual(made)
})

test('an error of the service is an EarshotApiError, at the start and later', async () => {
  await using refusing = await playService(refusal(403, 'insufficient_scope', { required_scope: 'read:webhooks' }))
  expect(await failureOf(refusing.url)).toMatchObject({ name: EarshotApiError.name, status: 403, code: 'insufficient_scope' })
  const body = JSON.stringify({ detail: 'Gone.', code: 'invalid_token', request_id: 'req-1' })
  await using ending = await playService({ headers: sse, text: `id: f1\nevent: ready\ndata: {}\n\nevent: error\ndata: ${body}\n\n` })
  expect(await failureOf(ending.url)).toMatchObject({ name: EarshotApiError.name, status: 401, code: 'invalid_token', requestId: 'req-1' })
})

test('a response that is no stream, breaks or ends is an EarshotConnectionError; silence a timeout; an abort its reason', async () => {
  await using page = await playService({ text: '<p>', headers: { 'content-type': 'text/html' } })
  await using end = await playService({ headers: sse, text: ':\n\n' })
  await using broken = await playService({ instead: 'reset' })
  for (const { url } of [page, end, broken]) expect(await failureOf(url)).toBeInstanceOf(EarshotConnectionError)
  await using silent = await playService({ instead: 'silence' })
  expect(await failureOf(silent.url, { timeoutMs: 50 })).toBeInstanceOf(EarshotTimeoutError)
  const reason = new Error('enough')
  expect(await failureOf(silent.url, { signal: AbortSignal.abort(reason) })).toBe(reason)
})

test('a stream whose cursor has expired continues after the cursor that onExpired returns, and throws without one', async () => {
  const team = await makeTeam(service.database)
  const { events } = service.client(team.token)
  const made = async () => {
    await team.submit()
    await number(service)
    const { results, next_cursor } = await events.list({ team_id: team.id })
    return { id: results.at(-1)?.id, cursor: next_cursor }
  }
  const kept = await made()
  const lost = await made()
  await loseLastEvent(service.database, team.id)
  const later = await made()
  const expired: ExpiredCursor[] = []
  const firstOf = async (onExpired?: (feed: ExpiredCursor) => string | undefined) => {
    const options = onExpired && { onExpired }
    for await (const { data } of events.stream({ team_id: team.id, cursor: lost.cursor }, options)) return data.id
    return undefined
  }
  const fromOldest = (feed: ExpiredCursor) => {
    expired.push(feed)
    return feed.oldestCursor
  }
  expect(await firstOf(fromOldest)).toBe(kept.id)
  expect(expired).toEqual([{ oldestCursor: 'f0', newestCursor: later.cursor }])
  const refusal = { status: 409, code: 'cursor_expired', fields: { oldest_cursor: 'f0', newest_cursor: later.cursor } }
  await expect(firstOf()).rejects.toMatchObject(refusal)
  await expect(firstOf(() => undefined)).rejects.toMatchObject(refusal)
})

test('leaving the iteration closes the connection', async () => {
  const team = await makeTeam(service.database)
  await team.submit()
  await number(service)
  const listen = async () => {
    for await (const { cursor } of service.client(team.token).events.stream({ team_id: team.id, cursor: 'f0' })) return cursor
    return undefined
  }
  // More often than a person may have streams at once.
  for (let count = 0; count < 25; count += 1) await expect.poll(() => listen().catch(() => null)).toMatch(/^f/)
})

async function failureOf(url: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<unknown> {
  const client = createClient({ baseUrl: url, token: 'svc_test' })
  try {
    for await (const item of client.events.stream({ team_id: TEAM }, options)) expect(item).toBe('nothing')
    return undefined
  } catch (error) {
    return error
  }
}
