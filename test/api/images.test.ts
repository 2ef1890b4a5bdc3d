import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { drawPng, file, type ImageSite, startImageSite } from '../support/image-site.ts'
import { decide, factsOf, publish, shownAvatar, startImageWorker, untilSettled } from '../support/images.ts'
import { importFile } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { here } from '../support/videos.ts'

const GENEROUS = { timeout: 120_000 }

let service: TestService
let worker: Worker
let site: ImageSite
let team: Team
beforeAll(async () => {
  service = await startTestService()
  worker = await startImageWorker(service)
  site = await startImageSite({
    '/ada.png': file('image/png', drawPng(30, 20)),
    '/logo.png': file('image/png', drawPng(900, 300)),
    '/huge.png': file('image/png', Buffer.alloc(6_000_000)),
  })
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 5_000 })
  await site[Symbol.asyncDispose]()
  await service.close()
})

async function setLogo(logo_url: string | null) {
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/`
  return (await service.send('PATCH', path, { token: team.token, body: { theme: { logo_url } } })).body.theme
}

async function settledLogo() {
  await untilSettled(service, team.project.project_id)
  return (await service.client(team.token).projects.retrieve(team.project)).theme
}

test('a logo is pending, then shown to visitors from this service alone', GENEROUS, async () => {
  expect(await setLogo(`${site.url}/logo.png`)).toEqual({
    color: null,
    logo_url: `${site.url}/logo.png`,
    logo: { state: 'pending', url: null, error: null },
  })
  const { logo } = await settledLogo()
  expect(logo).toMatchObject({ state: 'ready', error: null })
  expect(await factsOf(service, team.project.project_id)).toMatchObject({ width: 512, height: 171 })
  const response = await fetch(here(service, logo?.url ?? null))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
  const visible = await service.client().public.projects.retrieve({ public_key: team.publicKey })
  expect(visible.theme).toEqual({ color: null, logo_url: logo?.url })
})

test('the audit log says which address was given, and nothing of the copy', GENEROUS, async () => {
  await setLogo(`${site.url}/logo.png`)
  await settledLogo()
  await setLogo(null)
  const [entry] = await service.database.run<{ changes: object }>(
    `select changes from audit_entries where team_id = $1 and action = 'project.updated' order by id desc limit 1`,
    [team.id],
  )
  expect(entry?.changes).toEqual({ theme_logo_url: { from: `${site.url}/logo.png`, to: null } })
})

test('a logo that cannot be copied says why, in words; given again it is tried again; taken away it is forgotten', GENEROUS, async () => {
  await setLogo(`${site.url}/huge.png`)
  expect((await settledLogo()).logo).toEqual({
    state: 'failed',
    url: null,
    error: { code: 'too_large', detail: 'The image is larger than 5 MB.' },
  })
  const asked = site.requests.length
  expect((await setLogo(`${site.url}/huge.png`)).logo).toEqual({ state: 'pending', url: null, error: null })
  expect((await settledLogo()).logo).toMatchObject({ state: 'failed' })
  expect(site.requests.length).toBe(asked + 1)
  expect(await setLogo(null)).toEqual({ color: null, logo_url: null, logo: null })
  expect(await factsOf(service, team.project.project_id)).toBeUndefined()
})

test('a logo whose site is down says so after the first attempt, and shows once a later one succeeds', GENEROUS, async () => {
  let isDown = true
  await using moody = await startImageSite({
    '/logo.png': (request, response) => {
      if (isDown) response.writeHead(503).end()
      else file('image/png', drawPng(10, 10))(request, response)
    },
  })
  await worker.stop({ timeoutMs: 5_000 })
  worker = await startImageWorker(service, { images: { retryMs: 60_000 } })
  await setLogo(`${moody.url}/logo.png`)
  const shown = async () => (await service.client(team.token).projects.retrieve(team.project)).theme.logo
  await until('the reason is told', async () => (await shown())?.state === 'failed', 60_000)
  expect((await shown())?.error).toMatchObject({ code: 'not_found' })
  const id = team.project.project_id
  expect(await factsOf(service, id)).toMatchObject({ state: 'pending', attempts: 1 })
  isDown = false
  await service.database.run('update image_copies set due_at = now() where owner_id = $1', [id])
  expect((await settledLogo()).logo).toMatchObject({ state: 'ready', error: null })
})

test('whichever version of the code writes the address of a logo, no other logo is shown with it', GENEROUS, async () => {
  await setLogo(`${site.url}/logo.png`)
  await settledLogo()
  await worker.stop({ timeoutMs: 5_000 })
  const id = team.project.project_id
  const write = (address: string | null) =>
    service.database.run('update projects set theme_logo_url = $2, updated_at = now() where id = $1', [id, address])
  await write(`${site.url}/ada.png`)
  const visible = async () => (await service.client().public.projects.retrieve({ public_key: team.publicKey })).theme.logo_url
  expect(await visible()).toBeNull()
  worker = await startImageWorker(service)
  expect((await settledLogo()).logo).toMatchObject({ state: 'ready' })
  expect(await factsOf(service, id)).toMatchObject({ width: 30, height: 20 })
  await write(null)
  expect(await factsOf(service, id)).toBeUndefined()
  expect(await visible()).toBeNull()
})

test('a logo that is ready is not copied again by a change of something else', GENEROUS, async () => {
  await setLogo(`${site.url}/logo.png`)
  const { logo } = await settledLogo()
  const changed = await service
    .client(team.token)
    .projects.update({ ...team.project, name: 'Other', theme: { color: '#112233', logo_url: `${site.url}/logo.png` } })
  expect(changed.theme.logo).toEqual(logo)
})

test('a logo of a project that is created with one is copied', GENEROUS, async () => {
  const project = await service
    .client(team.token)
    .projects.create({ team_id: team.id, name: 'New', theme: { logo_url: `${site.url}/logo.png` } })
  expect(project.theme.logo).toMatchObject({ state: 'pending' })
  expect(await untilSettled(service, project.id)).toMatchObject({ state: 'ready' })
})

test('a widget shows the copies, and a new copy is a new version of it', GENEROUS, async () => {
  const widget = await service.client(team.token).widgets.create({ ...team.project, name: 'Wall', layout: 'wall' })
  const path = `/api/public/v1/widgets/${widget.id}/`
  const read = (etag: string | null) => service.send('GET', path, { headers: etag === null ? {} : { 'if-none-match': etag } })
  // Nothing but initials until a copy is there: no address of the other site.
  await worker.stop({ timeoutMs: 5_000 })
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await setLogo(`${site.url}/logo.png`)
  const before = await read(null)
  expect(before.body).toMatchObject({ logo_url: null, items: [{ author: { avatar_url: null } }] })
  expect(JSON.stringify(before.body)).not.toContain(site.url)
  worker = await startImageWorker(service)
  await untilSettled(service, owner_id)
  await settledLogo()
  const after = await read(before.headers.get('etag'))
  expect(after.status).toBe(200)
  expect(after.body.items[0].author.avatar_url).toBe(await shownAvatar(service, team))
  expect(after.body.logo_url).toContain(`/media/v1/images/${team.id}/${team.project.project_id}/`)
  expect((await read(after.headers.get('etag'))).status).toBe(304)
})

test('the pages of visitors show the copies by their own origin, and name no other site', GENEROUS, async () => {
  const client = service.client(team.token)
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await setLogo(`${site.url}/logo.png`)
  await untilSettled(service, owner_id)
  await settledLogo()
  const widget = await client.widgets.create({ ...team.project, name: 'Wall', layout: 'wall' })
  const questions = [{ ref: 'nps', type: 'nps' as const, title: 'How likely?' }]
  const survey = await client.surveys.create({ ...team.project, name: 'NPS', questions })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const logo = `<img class="logo" src="/media/v1/images/${team.id}/${team.project.project_id}/`
  for (const path of [`/c/${team.publicKey}`, `/w/${widget.id}`, `/s/${survey.id}`]) {
    const { status, body } = await service.send('GET', path)
    expect([path, status]).toEqual([path, 200])
    expect(body).toContain(logo)
    expect(body).not.toContain(site.url)
  }
  const wall = await service.send('GET', `/w/${widget.id}`)
  expect(wall.body).toContain(`<span class="face" aria-hidden="true">AL<img src="/media/v1/images/${team.id}/${owner_id}/`)
  expect(wall.headers.get('content-security-policy')).toContain("img-src 'self';")
})

test('an address that was altered is 404', GENEROUS, async () => {
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await untilSettled(service, owner_id)
  const url = here(service, (await shownAvatar(service, team)) ?? null)
  const another = await makeTeam(service.database)
  const version = /([0-9a-f]{32})\.webp$/.exec(url)?.[1] ?? ''
  expect((await fetch(url)).status).toBe(200)
  const altered = {
    'another team': url.replace(team.id, another.id),
    'the project instead': url.replace(owner_id, team.project.project_id),
    'an owner that is no id': url.replace(owner_id, 'x'),
    'another version': url.replace(version, '0'.repeat(32)),
    'the version in capitals': url.replace(version, version.toUpperCase().replace(/\d/, 'A')),
    'another type': url.replace('.webp', '.svg'),
    'a path upwards': url.replace(`${version}.webp`, '..%2f..%2fpasswd'),
  }
  for (const [name, address] of Object.entries(altered)) {
    const response = await fetch(address)
    expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 404, 'application/json; charset=utf-8'])
  }
})

test('the copy of now has an address without a version, for the pages of the team, which asks each time', GENEROUS, async () => {
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await untilSettled(service, owner_id)
  const url = `${service.url}/media/v1/images/${team.id}/${owner_id}`
  const response = await fetch(url)
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  const etag = response.headers.get('etag') ?? ''
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String((await response.arrayBuffer()).byteLength)])
})

test('a copy that is left behind of what is not public any more is 404', GENEROUS, async () => {
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await untilSettled(service, owner_id)
  const url = here(service, (await shownAvatar(service, team)) ?? null)
  const [kept] = await service.database.run<object>('select to_jsonb(i) as kept from image_copies i where owner_id = $1', [owner_id])
  await decide(service, team, owner_id, { action: 'reject', expected_state: 'approved' })
  await service.database.run('insert into image_copies select (jsonb_populate_record(null::image_copies, $1::jsonb)).*', [
    JSON.stringify(kept && 'kept' in kept ? kept.kept : null),
  ])
  expect((await factsOf(service, owner_id))?.state).toBe('ready')
  expect((await fetch(url)).status).toBe(404)
})

test('another picture of the same author takes the place of the first', GENEROUS, async () => {
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await untilSettled(service, owner_id)
  const first = await shownAvatar(service, team)
  await service.database.run('update submissions set author_avatar_url = $2 where id = $1', [owner_id, `${site.url}/logo.png`])
  expect(await shownAvatar(service, team)).toBeNull()
  await untilSettled(service, owner_id)
  const second = await shownAvatar(service, team)
  expect(second).not.toBe(first)
  expect((await fetch(here(service, first ?? null))).status).toBe(404)
  expect((await fetch(here(service, second ?? null))).status).toBe(200)
})

test('an erasure of the person removes the copy, at once', GENEROUS, async () => {
  const owner_id = await publish(service, team, `${site.url}/ada.png`, 'ada@example.com')
  await untilSettled(service, owner_id)
  const url = here(service, (await shownAvatar(service, team)) ?? null)
  await service.client(team.token).privacy.erase({ team_id: team.id, email: 'ada@example.com' })
  expect(await factsOf(service, owner_id)).toBeUndefined()
  expect((await fetch(url)).status).toBe(404)
})

test('a submission that is deleted takes its picture away, at once', GENEROUS, async () => {
  const owner_id = await publish(service, team, `${site.url}/ada.png`)
  await untilSettled(service, owner_id)
  const url = here(service, (await shownAvatar(service, team)) ?? null)
  await service.client(team.token).submissions.delete({ ...team.project, submission_id: owner_id })
  expect(await factsOf(service, owner_id)).toBeUndefined()
  expect((await fetch(url)).status).toBe(404)
})

test('what belongs to a project that is deleted is 404, and goes with it', GENEROUS, async () => {
  await setLogo(`${site.url}/logo.png`)
  const { logo } = await settledLogo()
  await service.client(team.token).projects.delete(team.project)
  expect((await fetch(here(service, logo?.url ?? null))).status).toBe(404)
  await service.database.run(`update projects set deleted_at = now() - interval '2 days' where id = $1`, [team.project.project_id])
  await service.database.run('delete from projects where id = $1', [team.project.project_id])
  expect(await factsOf(service, team.project.project_id)).toBeUndefined()
})

test('pictures of imported testimonials wait until somebody approves them', GENEROUS, async () => {
  const asked = site.requests.length
  const csv = `name,text,avatar\n${Array.from({ length: 20 }, (_, row) => `Ada ${row},Great ${row},${site.url}/ada.png`).join('\n')}\n`
  expect(await importFile(service, team, { csv })).toMatchObject({ state: 'completed', totals: { created: 20 } })
  const [stored] = await service.database.run<{ submissions: number; images: number }>(
    `select (select count(*)::int from submissions where team_id = $1 and author_avatar_url is not null) as submissions,
            (select count(*)::int from image_copies where team_id = $1) as images`,
    [team.id],
  )
  expect(stored).toEqual({ submissions: 20, images: 0 })
  expect(site.requests.length).toBe(asked)
})
