import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { meanwhile } from '../support/request-while-locked.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { walkIds } from '../support/walk-pages.ts'

let service: TestService
let team: Team
let projects: string
beforeAll(async () => {
  service = await startTestService()
  team = await makeTeam(service.database)
  projects = `/api/v1/teams/${team.id}/projects/`
})
afterAll(() => service.close())

test('a project needs only a name, and is at its Location', async () => {
  const made = await service.send('POST', projects, { token: team.token, body: { name: 'Landing page' } })
  expect(made).toMatchObject({
    status: 201,
    body: {
      team_id: team.id,
      slug: 'landing-page',
      website_url: null,
      collects: { text: true, video: true, rating: true },
      theme: { color: null, logo_url: null },
    },
  })
  expect(made.headers.get('location')).toBe(`${projects}${made.body.id}/`)
  expect((await service.send('GET', made.headers.get('location') ?? '', { token: team.token })).body).toEqual(made.body)
})

test('an update merges nested fields too, and null clears optional ones', async () => {
  const body = {
    name: 'Shop',
    website_url: 'https://shop.example.com',
    collects: { video: false },
    theme: { color: '#3366ff', logo_url: 'https://shop.example.com/logo.png' },
  }
  const { id } = (await service.send('POST', projects, { token: team.token, body })).body
  const change = { collects: { rating: false }, theme: { color: null }, website_url: null, thank_you_text: '' }
  const changed = await service.send('PATCH', `${projects}${id}/`, { token: team.token, body: change })
  expect(changed).toMatchObject({
    status: 200,
    body: {
      name: 'Shop',
      slug: 'shop',
      website_url: null,
      thank_you_text: '',
      collects: { text: true, video: false, rating: false },
      theme: { color: null, logo_url: 'https://shop.example.com/logo.png' },
    },
  })
  for (const wrong of [
    { name: null },
    { collects: null },
    { collects: { text: null } },
    { theme: { color: 'red' } },
    { website_url: 'javascript:alert(1)' },
  ]) {
    expect(await service.send('PATCH', `${projects}${id}/`, { token: team.token, body: wrong }), JSON.stringify(wrong)).toMatchObject({
      status: 400,
    })
  }
})

test('a slug is unique in its team, free in another, and free again after a deletion', async () => {
  const first = await service.send('POST', projects, { token: team.token, body: { name: 'One', slug: 'one' } })
  const again = { token: team.token, body: { name: 'Two', slug: 'one' } }
  expect(await service.send('POST', projects, again)).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  const other = await makeTeam(service.database)
  const elsewhere = await service.send('POST', `/api/v1/teams/${other.id}/projects/`, { ...again, token: other.token })
  expect(elsewhere.status).toBe(201)
  await service.send('DELETE', `${projects}${first.body.id}/`, { token: team.token })
  expect((await service.send('POST', projects, again)).status).toBe(201)
})

test('projects are listed newest first, in pages', async () => {
  const own = await makeTeam(service.database)
  const path = `/api/v1/teams/${own.id}/projects/`
  const made = [own.project.project_id]
  for (const name of ['a', 'b', 'c', 'd']) made.push((await service.send('POST', path, { token: own.token, body: { name } })).body.id)
  expect(await walkIds(service, path, { token: own.token, query: { limit: '2' } })).toEqual(made.toReversed())
})

test('a plan limits the projects: of ten at once exactly one gets the last', async () => {
  const own = await makeTeam(service.database, { plan: 'pro' })
  await service.database.run(
    `insert into projects (team_id, name, slug, collects_text, collects_video, collects_rating, consent_text, thank_you_text)
     select $1, 'Bulk', 'bulk-' || n, true, true, true, '', '' from generate_series(1, 18) n`,
    [own.id],
  )
  const create = () => service.send('POST', `/api/v1/teams/${own.id}/projects/`, { token: own.token, body: { name: 'Last' } })
  const answers = await Promise.all(Array.from({ length: 10 }, create))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(402)])
  const refused = answers.find(({ status }) => status === 402)
  expect(refused?.body).toMatchObject({ code: 'quota_exceeded', quota: 'projects', limit: 20, used: 20, resets_at: null })
})

test('a concurrent downgrade limits a project that is being created', async () => {
  const own = await makeTeam(service.database)
  const change = ["update teams set plan = 'free' where id = $1", [own.id]] as const
  const request = () => service.send('POST', `/api/v1/teams/${own.id}/projects/`, { token: own.token, body: { name: 'Second' } })
  const answer = await meanwhile(service, own, { change, request })
  expect(answer).toMatchObject({ status: 402, body: { quota: 'projects', limit: 1, used: 1 } })
})

test('a deleted project is gone with its records, on both planes', async () => {
  const own = await makeTeam(service.database)
  const { id } = await own.submit({ consent_granted: true })
  const client = service.client(own.token)
  await client.submissions.approve({ ...own.project, submission_id: id })
  const path = `/api/v1/teams/${own.id}/projects/${own.project.project_id}/`
  expect((await service.send('DELETE', path, { token: own.token })).status).toBe(204)
  for (const below of ['', 'submissions/', `submissions/${id}/`, 'public-keys/']) {
    expect((await service.send('GET', path + below, { token: own.token })).status, below).toBe(404)
  }
  for (const below of ['', 'items/']) {
    expect((await service.send('GET', `/api/public/v1/projects/${own.publicKey}/${below}`)).status, below).toBe(404)
  }
})
