import { randomBytes } from 'node:crypto'
import { claimIdempotencyKey } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { setUsed } from '../support/quotas.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const WORDS = { body: 'x', author: { name: 'Ada' } }

let service: TestService
let team: Team
let submissions: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  submissions = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/`
})
afterAll(() => service.close())

test('an equivalent request with the same key is a replay; another body or operation is refused', async () => {
  const first = await send(submissions, 'key-1', { body: 'x', author: { name: 'Ada', company: null } })
  const spelled = await send(submissions, 'key-1', '{ "author": {"company": null, "name": "\\u0041da"},\n "body": "x" }')
  expect([spelled.status, spelled.body, spelled.headers.get('idempotency-replayed')]).toEqual([201, first.body, 'true'])
  expect(await send(submissions, 'key-1', { ...WORDS, body: 'y' })).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } })
  const elsewhere = await send(`/api/v1/teams/${team.id}/projects/`, 'key-1', { name: 'Other' })
  expect(elsewhere).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } })
})

test('the path is part of the request: the same action on another record needs another key', async () => {
  const [one, other] = [await team.submit(), await team.submit()]
  expect((await send(`${submissions}${one.id}/approve/`, 'key-2')).status).toBe(200)
  expect(await send(`${submissions}${other.id}/approve/`, 'key-2')).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } })
})

test('fifty concurrent requests with one key create one record and get the same response', async () => {
  const body = { ...WORDS, external_id: 'once' }
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(submissions, 'key-3', body)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
  const rows = await service.database.run("select id from submissions where external_id = 'once'", [])
  expect(rows).toHaveLength(1)
})

test('409 and 402 are stored and replayed, whatever changed since', async () => {
  const { id } = await team.submit()
  const client = service.client(team.token)
  await client.submissions.approve({ ...team.project, submission_id: id })
  const conflict = await send(`${submissions}${id}/reject/`, 'key-4')
  await client.submissions.reject({ ...team.project, submission_id: id, expected_state: 'approved' })
  const replayed = await send(`${submissions}${id}/reject/`, 'key-4')
  expect(conflict).toMatchObject({ status: 409, body: { code: 'state_conflict', current_state: 'approved' } })
  expect(replayed.body).toEqual({ ...conflict.body, request_id: replayed.body.request_id })
  expect(replayed.headers.get('idempotency-replayed')).toBe('true')

  const poor = await makeTeam(service.database, { plan: 'pro' })
  const path = `/api/v1/teams/${poor.id}/projects/${poor.project.project_id}/submissions/`
  await poor.submit()
  await setUsed(service.database, poor.id, 5000)
  const exceeded = await send(path, 'key-5', WORDS, poor.token)
  await setUsed(service.database, poor.id, 0)
  const again = await send(path, 'key-5', WORDS, poor.token)
  expect(exceeded).toMatchObject({ status: 402, body: { code: 'quota_exceeded', used: 5000 } })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([402, 'true'])
  expect(again.body).toEqual({ ...exceeded.body, request_id: again.body.request_id })
})

test('requests refused before the work, or not found, leave the key unused', async () => {
  expect((await send(submissions, 'key-6', { body: '' })).status).toBe(400)
  expect((await send(submissions, 'key-6', WORDS)).status).toBe(201)
  const missing = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'
  expect((await send(`${submissions}${missing}/approve/`, 'key-7')).status).toBe(404)
  expect((await send(submissions, 'key-7', WORDS)).status).toBe(201)
  const narrow = await team.tokenOf('owner', ['read:submissions'])
  expect((await send(submissions, 'key-8', WORDS, narrow)).status).toBe(403)
  const kept = await service.database.run("select key from idempotency_keys where key = 'key-8'", [])
  expect(kept).toEqual([])
})

test('the time limit for a key under way does not limit what its work waits for', async () => {
  const [setting] = await service.database.transaction(async (tx) => {
    await claimIdempotencyKey(tx, { caller: 'test', key: 'key-limit', requestHash: randomBytes(32) })
    return tx.run<{ limit: string }>(`select current_setting('lock_timeout') as "limit"`, [])
  })
  expect(setting).toEqual({ limit: '0' })
})

test('a key is forgotten after 24 hours', async () => {
  const first = await send(submissions, 'key-9', WORDS)
  await service.database.run("update idempotency_keys set created_at = created_at - interval '23 hours 59 minutes' where key = 'key-9'", [])
  expect((await send(submissions, 'key-9', WORDS)).body.id).toBe(first.body.id)
  await service.database.run("update idempotency_keys set created_at = created_at - interval '2 minutes' where key = 'key-9'", [])
  const second = await send(submissions, 'key-9', { ...WORDS, body: 'another' })
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, null])
  expect(second.body.id).not.toBe(first.body.id)
})

test('a key belongs to its credential: nobody gets another’s response, and responses are stored encrypted', async () => {
  const tokens = '/api/v1/me/tokens/'
  const body = { name: 'Secret', scopes: ['read:teams'] }
  const mine = await send(tokens, 'shared', body)
  const theirs = await send(tokens, 'shared', body, await team.tokenOf('owner'))
  expect([mine.status, theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([201, 201, null])
  expect(theirs.body.token).not.toBe(mine.body.token)
  expect((await send(tokens, 'shared', body)).body.token).toBe(mine.body.token)
  const rows = await service.database.run<{ row: string }>('select k::text as row from idempotency_keys k', [])
  expect(rows.some(({ row }) => row.includes(mine.body.token) || row.includes('Secret'))).toBe(false)
})

test('a replayed response shows e-mail addresses according to the credential’s scopes', async () => {
  const token = await team.tokenOf('owner', ['write:submissions'])
  const body = { ...WORDS, author: { name: 'Ada', email: 'secret@example.com' } }
  for (const replayed of [null, 'true']) {
    const answer = await send(submissions, 'masked', body, token)
    expect([answer.body.author.email, answer.headers.get('idempotency-replayed')]).toEqual([null, replayed])
  }
})

test('a malformed key is refused by name; on methods other than POST the header is ignored', async () => {
  for (const key of ['', 'x'.repeat(256), 'with space', 'ümläut']) {
    const answer = await send(submissions, key, WORDS)
    expect(answer, key).toMatchObject({ status: 400, body: { errors: [{ field: 'Idempotency-Key' }] } })
  }
  expect((await send(submissions, 'x'.repeat(255), WORDS)).status).toBe(201)
  const { id } = await team.submit()
  const patch = (tags: string[]) =>
    service.send('PATCH', `${submissions}${id}/`, { token: team.token, headers: { 'idempotency-key': 'patch' }, body: { tags } })
  expect((await patch(['a'])).status).toBe(200)
  expect((await patch(['b'])).body.tags).toEqual(['b'])
})

test('on the public plane a key belongs to the address and the project', async () => {
  const body = { ...WORDS, consent: { granted: true } }
  const leave = (publicKey: string, words: object) =>
    service.send('POST', `/api/public/v1/projects/${publicKey}/submissions/`, { headers: { 'idempotency-key': 'visitor' }, body: words })
  const first = await leave(team.publicKey, body)
  const again = await leave(team.publicKey, body)
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await leave(team.publicKey, { ...body, body: 'y' })).toMatchObject({ status: 409 })
  const other = await makeTeam(service.database)
  const elsewhere = await leave(other.publicKey, body)
  expect([elsewhere.status, elsewhere.headers.get('idempotency-replayed')]).toEqual([201, null])
})

test('over tRPC a key works on unbatched calls', async () => {
  const call = (path: string, body: unknown) =>
    service.send('POST', `/trpc/${path}`, { token: team.token, headers: { 'idempotency-key': 'over-trpc' }, body })
  const input = { ...team.project, ...WORDS }
  const first = await call('submissions.create', input)
  const again = await call('submissions.create', input)
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const rest = await send(submissions, 'over-trpc', WORDS)
  expect(rest.body.id).toBe(first.body.result.data.id)
  const batched = await call('submissions.create?batch=1', { 0: input })
  expect(batched.body[0].result.data.id).not.toBe(first.body.result.data.id)
})

function send(path: string, key: string, body: unknown = {}, token = team.token) {
  return service.send('POST', path, { token, headers: { 'idempotency-key': key }, body })
}
