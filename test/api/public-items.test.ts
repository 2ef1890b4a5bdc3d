import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds } from '../support/walk-pages.ts'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('an item is public while it is approved, consented and not deleted, and the aggregates follow each change at once', async () => {
  team = await makeTeam(service.database)
  const client = service.client(team.token)
  const four = await publish({ rating: 4 })
  expect(await shown()).toEqual({ ids: [four], aggregate: { count: 1, average_rating: 4 } })
  const five = await publish({ rating: 5 })
  const unrated = await publish({})
  expect(await shown()).toEqual({ ids: [unrated, five, four], aggregate: { count: 3, average_rating: 4.5 } })

  await client.submissions.reject({ ...team.project, submission_id: five, expected_state: 'approved' })
  expect(await shown()).toEqual({ ids: [unrated, four], aggregate: { count: 2, average_rating: 4 } })
  await client.submissions.approve({ ...team.project, submission_id: five, expected_state: 'rejected' })
  expect(await shown()).toEqual({ ids: [unrated, five, four], aggregate: { count: 3, average_rating: 4.5 } })
  await client.submissions.delete({ ...team.project, submission_id: four })
  expect(await shown()).toEqual({ ids: [unrated, five], aggregate: { count: 2, average_rating: 5 } })
  await client.submissions.moderate({ ...team.project, items: [{ submission_id: five, action: 'reject', expected_state: 'approved' }] })
  expect(await shown()).toEqual({ ids: [unrated], aggregate: { count: 1, average_rating: null } })
})

test('pending, rejected and unconsented items are never shown, and no item shows an e-mail address', async () => {
  team = await makeTeam(service.database)
  const client = service.client(team.token)
  const hidden = { consent_granted: true, author_email: 'secret@example.com', metadata: { secret: 'inner' }, moderation_reason: 'inner' }
  await team.submit(hidden)
  const rejected = await team.submit(hidden)
  await client.submissions.reject({ ...team.project, submission_id: rejected.id })
  const unconsented = await team.submit({ ...hidden, consent_granted: false })
  await client.submissions.approve({ ...team.project, submission_id: unconsented.id })
  const id = await publish(hidden)
  const answer = await service.send('GET', items())
  expect(answer.body).toMatchObject({ results: [{ id }], aggregate: { count: 1 } })
  expect(JSON.stringify(answer.body)).not.toMatch(/secret|inner|email|metadata|reason/)
})

test('a visitor withdraws consent with the receipt: the item is gone at once, and repeating it gives the same response', async () => {
  team = await makeTeam(service.database)
  const body = { body: 'Mine', author: { name: 'Ada' }, consent: { granted: true, text: 'I agree' }, rating: 3 }
  const receipt = (await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body })).body
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: receipt.id })
  expect((await shown()).ids).toEqual([receipt.id])

  const revoke = () => service.send('POST', '/api/public/v1/consent/revoke/', { body: { revoke_token: receipt.revoke_token } })
  const revoked = await revoke()
  expect(revoked).toMatchObject({ status: 200, body: { id: receipt.id, consent: { granted: true, text: 'I agree' } } })
  expect(Date.parse(revoked.body.consent.revoked_at)).toBeGreaterThan(Date.now() - 60_000)
  expect(await shown()).toEqual({ ids: [], aggregate: { count: 0, average_rating: null } })
  expect((await revoke()).body).toEqual(revoked.body)
  const kept = await service.client(team.token).submissions.retrieve({ ...team.project, submission_id: receipt.id })
  expect(kept).toMatchObject({ state: 'approved', public: false, consent: revoked.body.consent })
  for (const revoke_token of ['rvk_unknown', receipt.revoke_token.toLowerCase(), receipt.id]) {
    const answer = await service.send('POST', '/api/public/v1/consent/revoke/', { body: { revoke_token } })
    expect(answer, revoke_token).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
})

test('items are filtered by kind, tag and stars, newest first, in pages; the aggregates cover the whole project', async () => {
  team = await makeTeam(service.database)
  const made: { id: string; rating: number | null; tags: string[]; kind: 'text' | 'testimonial' }[] = []
  for (let count = 0; count < 9; count += 1) {
    const fields = {
      rating: count % 5 || null,
      tags: count % 2 ? ['odd', 'x'] : [],
      kind: count % 3 ? ('text' as const) : ('testimonial' as const),
    }
    made.unshift({ id: await publish(fields), ...fields })
  }
  const ids = (lets: (one: (typeof made)[number]) => boolean) => made.filter(lets).map(({ id }) => id)
  const list = (query: Record<string, string>) => walkIds(service, items(), { query: { limit: '2', ...query } })
  expect(await list({})).toEqual(ids(() => true))
  expect(await list({ tag: 'odd' })).toEqual(ids(({ tags }) => tags.includes('odd')))
  expect(await list({ kind: 'testimonial' })).toEqual(ids(({ kind }) => kind === 'testimonial'))
  expect(await list({ min_rating: '3' })).toEqual(ids(({ rating }) => (rating ?? 0) >= 3))
  expect(await list({ min_rating: '2', tag: 'x', kind: 'text' })).toEqual(
    ids(({ rating, tags, kind }) => (rating ?? 0) >= 2 && tags.includes('x') && kind === 'text'),
  )
  const narrowed = await service.send('GET', `${items()}?tag=odd&limit=1`)
  expect(narrowed.body.aggregate).toEqual({ count: 9, average_rating: 2.29 })
})

test('adding or removing a tag moves the item into or out of its list', async () => {
  team = await makeTeam(service.database)
  const id = await publish({ tags: ['before'] })
  await service.client(team.token).submissions.update({ ...team.project, submission_id: id, tags: ['after'] })
  expect(await walkIds(service, items(), { query: { tag: 'before' } })).toEqual([])
  expect(await walkIds(service, items(), { query: { tag: 'after' } })).toEqual([id])
})

function items(): string {
  return `/api/public/v1/projects/${team.publicKey}/items/`
}

async function publish(fields: Parameters<Team['submit']>[0]): Promise<string> {
  const { id } = await team.submit({ consent_granted: true, ...fields })
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: id })
  return id
}

async function shown() {
  const { results, aggregate } = (await service.send('GET', items())).body
  return { ids: results.map(({ id }: { id: string }) => id), aggregate }
}
