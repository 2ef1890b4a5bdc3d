import type { Event, Testimonial } from '@earshot/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const WORDS = { body: 'They saved us a week, twice.', author: { name: 'Ada', email: 'ada@example.com' } }

let service: TestService
let team: Team
let project: string
let testimonials: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  project = `/api/v1/teams/${team.id}/projects/${team.project.project_id}`
  testimonials = `${project}/testimonials/`
})
afterAll(() => service.close())

test('a testimonial is a pending submission with the same id, and fires both events once', async () => {
  const made = await create({ featured: true, excerpt: 'saved us a week', position: 1.5, tags: ['launch'], external_id: 'crm-1' })
  expect(made).toMatchObject({
    kind: 'testimonial',
    state: 'pending',
    channel: 'api',
    featured: true,
    excerpt: 'saved us a week',
    position: 1.5,
  })
  expect((await service.send('GET', `${testimonials}${made.id}/`, { token: team.token })).body).toEqual(made)
  const { featured, excerpt, position, ...submission } = made
  expect((await service.send('GET', `${project}/submissions/${made.id}/`, { token: team.token })).body).toEqual(submission)
  expect(await payloadsOf(made.id)).toEqual([
    { type: 'submission.created', data: { submission } },
    { type: 'testimonial.created', data: { testimonial: made } },
  ])
})

test('a testimonial is moderated, tagged, published and charged like any other submission', async () => {
  const before = await usedSubmissions()
  const { id } = await create({ consent: { granted: true }, excerpt: 'a week', featured: true, rating: 5, tags: ['customers'] })
  expect(await usedSubmissions()).toBe(before + 1)
  const approved = await service.send('POST', `${project}/submissions/${id}/approve/`, { token: team.token, body: {} })
  expect(approved).toMatchObject({ status: 200, body: { state: 'approved', public: true } })
  const items = await service.send('GET', `/api/public/v1/projects/${team.publicKey}/items/?tag=customers`)
  expect(items.body.results).toMatchObject([{ id, kind: 'testimonial', excerpt: 'a week', featured: true }])
})

test('an excerpt is a verbatim part of the body, on creation and later', async () => {
  for (const excerpt of ['saved us a month', 'They saved us a week, twice. Really', 'they saved']) {
    const refused = await service.send('POST', testimonials, { token: team.token, body: { ...WORDS, excerpt } })
    expect(refused, excerpt).toMatchObject({
      status: 400,
      body: { code: 'validation_error', errors: [{ field: 'excerpt', code: 'not_verbatim' }] },
    })
  }
  const made = await create({ excerpt: 'a week' })
  const refused = await patch(made.id, { excerpt: 'a fortnight' })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'excerpt', code: 'not_verbatim' }] } })
  expect((await service.send('GET', `${testimonials}${made.id}/`, { token: team.token })).body).toEqual(made)
  expect((await patch(made.id, { excerpt: 'twice' })).body).toMatchObject({ excerpt: 'twice' })
  expect((await patch(made.id, { excerpt: null })).body).toMatchObject({ excerpt: null })
})

test('a fraction puts a featured testimonial between two others, whose rows stay as they are', async () => {
  const [first, second, third] = [await create({ position: 1 }), await create({ position: 2 }), await create({ position: 3 })]
  expect((await patch(third.id, { position: 1.5 })).body).toMatchObject({ position: 1.5 })
  for (const other of [first, second])
    expect((await service.send('GET', `${testimonials}${other.id}/`, { token: team.token })).body).toEqual(other)
})

test('consent that comes later publishes an approved testimonial, and its withdrawal hides it', async () => {
  const { id } = await create({ rating: 4 })
  await service.send('POST', `${project}/submissions/${id}/approve/`, { token: team.token, body: {} })
  const before = await publicCount()
  const granted_at = '2026-01-02T03:04:05.000Z'
  const given = await patch(id, { consent: { granted: true, text: 'By e-mail', granted_at } })
  expect(given.body).toMatchObject({ public: true, consent: { granted: true, text: 'By e-mail', granted_at } })
  expect(await publicCount()).toBe(before + 1)
  const withdrawn = await patch(id, { consent: { granted: false } })
  expect(withdrawn.body).toMatchObject({ public: false, consent: { granted: false, text: 'By e-mail', granted_at: null } })
  expect(await publicCount()).toBe(before)
})

test('a change is one line of the audit log', async () => {
  const { id } = await create({})
  await patch(id, { featured: true, position: 4 })
  const rows = await service.database.run(
    "select action, changes from audit_entries where team_id = $1 and target_id = $2 and action = 'submission.updated'",
    [team.id, id],
  )
  expect(rows).toEqual([
    { action: 'submission.updated', changes: { featured: { from: false, to: true }, position: { from: null, to: 4 } } },
  ])
})

test('the list holds testimonials alone, featured ones on request', async () => {
  const other = await makeTeam(service.database)
  const path = `/api/v1/teams/${other.id}/projects/${other.project.project_id}/testimonials/`
  const { id: submission_id } = await other.submit()
  const plain = (await service.send('POST', path, { token: other.token, body: WORDS })).body
  const featured = (await service.send('POST', path, { token: other.token, body: { ...WORDS, featured: true } })).body
  const list = async (query: string) => (await service.send('GET', `${path}${query}`, { token: other.token })).body.results
  expect(await list('')).toEqual([featured, plain])
  expect(await list('?featured=true')).toEqual([featured])
  expect(await list('?featured=false')).toEqual([plain])
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const answer = await service.send(method, `${path}${submission_id}/`, { token: other.token, ...(method === 'PATCH' && { body: {} }) })
    expect(answer.status, method).toBe(404)
  }
})

async function create(fields: object): Promise<Testimonial> {
  const made = await service.send('POST', testimonials, { token: team.token, body: { ...WORDS, ...fields } })
  expect(made.status).toBe(201)
  return made.body
}

function patch(id: string, body: object) {
  return service.send('PATCH', `${testimonials}${id}/`, { token: team.token, body })
}

async function usedSubmissions(): Promise<number> {
  const usage = await service.send('GET', `/api/v1/teams/${team.id}/usage/`, { token: team.token })
  return usage.body.quotas.find(({ quota }: { quota: string }) => quota === 'submissions').used
}

async function publicCount(): Promise<number> {
  return (await service.send('GET', `/api/public/v1/projects/${team.publicKey}/items/`)).body.aggregate.count
}

async function payloadsOf(id: string) {
  const events = await service.database.run<{ payload: string }>(
    `select payload from events
      where team_id = $1 and coalesce(payload::json #>> '{data,submission,id}', payload::json #>> '{data,testimonial,id}') = $2 order by id`,
    [team.id, id],
  )
  return events.map(({ payload }) => {
    const { type, data }: Event = JSON.parse(payload)
    return { type, data }
  })
}
