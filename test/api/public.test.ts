import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { setUsed } from '../support/quotas.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const WORDS = { author: { name: 'Ada', email: 'ada@example.com' }, consent: { granted: true } }

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('a page gets what its form needs, and nothing private to the team', async () => {
  team = await makeTeam(service.database)
  const { status, body, headers } = await service.send('GET', at(''))
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['collects', 'consent_text', 'form_token', 'name', 'thank_you_text', 'theme', 'website_url'])
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('set-cookie')).toBeNull()
})

test('a submission is stored as sent, pending, and the response contains the receipt alone', async () => {
  team = await makeTeam(service.database)
  const made = await leave({
    body: 'Lovely',
    rating: 5,
    title: 'Yes',
    language: 'en',
    source_url: 'https://example.com/form',
    metadata: { a: 1 },
  })
  expect(made).toMatchObject({ status: 201, body: { state: 'pending', revoke_token: expect.stringMatching(/^rvk_/) } })
  expect(Object.keys(made.body).sort()).toEqual(['created_at', 'id', 'revoke_token', 'state'])
  const [row] = await service.database.run('select channel, state, body, source_url, author_email from submissions where id = $1', [
    made.body.id,
  ])
  expect(row).toEqual({
    channel: 'public',
    state: 'pending',
    body: 'Lovely',
    source_url: 'https://example.com/form',
    author_email: 'ada@example.com',
  })
})

test('a filled honeypot looks like a success, and nothing is stored', async () => {
  team = await makeTeam(service.database)
  const decoy = await leave({ body: 'Buy', website: 'https://spam.example.com' })
  const real = await leave({ body: 'Real', website: '' })
  expect(Object.keys(decoy.body)).toEqual(Object.keys(real.body))
  expect([decoy.status, [...decoy.headers.keys()].sort()]).toEqual([201, [...real.headers.keys()].sort()])
  expect(decoy.body).toMatchObject({ state: 'pending', revoke_token: expect.stringMatching(/^rvk_[0-9A-Za-z]{43}$/) })
  expect(await kept()).toEqual([real.body.id])
  expect(await usedQuota()).toBe(1)
})

test('ten identical submissions at once from one address are one record, one event and one quota unit', async () => {
  team = await makeTeam(service.database)
  const answers = await Promise.all(Array.from({ length: 10 }, () => leave({ body: 'Twice' })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter(({ body }) => body.revoke_token !== null)).toHaveLength(1)
  expect(await kept()).toEqual([answers[0]?.body.id])
  expect(await usedQuota()).toBe(1)
  const events = await service.database.run('select id from events where team_id = $1', [team.id])
  expect(events).toHaveLength(1)
})

test('different text, and the same text after ten minutes, is a new submission', async () => {
  team = await makeTeam(service.database)
  const first = await leave({ body: 'Again' })
  const other = await leave({ body: 'Again', rating: 5 })
  expect(other.body.id).not.toBe(first.body.id)
  await service.database.run("update visitor_fingerprints set record_id = uuid_at(now() - interval '601 seconds') where team_id = $1", [
    team.id,
  ])
  const later = await leave({ body: 'Again' })
  expect(later.body).toMatchObject({ id: expect.not.stringMatching(first.body.id), revoke_token: expect.any(String) })
  expect(await kept()).toHaveLength(3)
})

test('a form that is sent faster than a person can fill it, or with a forged token, is refused', async () => {
  team = await makeTeam(service.database)
  const { form_token } = (await service.send('GET', at(''))).body
  const [opened, signature] = form_token.split('.')
  const earlier = (Date.now() - 60_000).toString(36)
  for (const wrong of [form_token, `${earlier}.${signature}`, 'x', `${opened}.${'A'.repeat(43)}`]) {
    const answer = await leave({ body: 'Fast', form_token: wrong })
    expect(answer, wrong).toMatchObject({ status: 400, body: { errors: [{ field: 'form_token' }] } })
  }
  const signed = (openedMs: number) => {
    const text = openedMs.toString(36)
    return `${text}.${service.secretBox.mac('form-token', text).toString('base64url')}`
  }
  expect((await leave({ body: 'Old', form_token: signed(Date.now() - 25 * 3_600_000) })).status).toBe(400)
  expect((await leave({ body: 'Calm', form_token: signed(Date.now() - 5_000) })).status).toBe(201)
  expect((await leave({ body: 'By program', form_token: null })).status).toBe(201)
})

test('a webhook delivery that is posted back is refused on every public write', async () => {
  team = await makeTeam(service.database)
  const headers = { 'x-service-delivery': '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01' }
  for (const path of [at('submissions/'), '/api/public/v1/consent/revoke/']) {
    expect(await service.send('POST', path, { headers, body: {} }), path).toMatchObject({ status: 403, body: { code: 'webhook_loop' } })
  }
  expect((await service.send('GET', at('items/'), { headers })).status).toBe(200)
  expect(await kept()).toEqual([])
})

test('a visitor learns of a team’s exhausted quota by code and text alone', async () => {
  team = await makeTeam(service.database, { plan: 'free' })
  expect((await leave({ body: 'First' })).status).toBe(201)
  await setUsed(service.database, team.id, 50)
  const refused = await leave({ body: 'Beyond' })
  expect(refused).toMatchObject({ status: 402, body: { code: 'quota_exceeded' } })
  expect(Object.keys(refused.body).sort()).toEqual(['code', 'detail', 'request_id'])
})

test('the public plane ignores credentials and sets none', async () => {
  team = await makeTeam(service.database)
  for (const authorization of ['Bearer garbage', `Bearer ${team.token}`, 'Basic eDp5']) {
    const read = await service.send('GET', at('items/'), { headers: { authorization } })
    expect([read.status, read.headers.get('set-cookie')]).toEqual([200, null])
    const write = await leave({ body: `Words number ${authorization.length}` }, { authorization })
    expect(write.status).toBe(201)
  }
  const [channels] = await service.database.run('select array_agg(distinct channel) as channels from submissions where team_id = $1', [
    team.id,
  ])
  expect(channels).toEqual({ channels: ['public'] })
})

function at(below: string): string {
  return `/api/public/v1/projects/${team.publicKey}/${below}`
}

function leave(fields: Record<string, unknown>, headers: Record<string, string> = {}) {
  return service.send('POST', at('submissions/'), { body: { ...WORDS, ...fields }, headers })
}

async function kept(): Promise<string[]> {
  const rows = await service.database.run<{ id: string }>('select id from submissions where team_id = $1 order by id', [team.id])
  return rows.map(({ id }) => id)
}

async function usedQuota(): Promise<number | undefined> {
  const [row] = await service.database.run<{ used: number }>(
    "select sum(used)::int as used from quota_usage where team_id = $1 and quota = 'submissions'",
    [team.id],
  )
  return row?.used
}
