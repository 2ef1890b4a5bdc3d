import type { NewSubmission } from '@earshot/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeReadyVideo } from '../support/videos.ts'

const HOSTILE = '</script><script>alert("1")</script>\' & <!-- <b>'

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService({ mediaOrigin: 'https://media.example' })
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('the page has the words, the figures and the name of the project; what is not public is not in it', async () => {
  await publish({ body: 'Saved us a week, every month.', excerpt: 'Saved us a week', author_name: 'Ada Lovelace', rating: 5 })
  await publish({ body: 'Good.', author_name: 'Grace', author_website_url: 'https://grace.example/', rating: 4 })
  await team.submit({ body: 'Nobody approved this.', consent_granted: true })
  const { status, headers, body } = await show(await create({}))
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(body).toContain('<mark>Saved us a week</mark>, every month.')
  expect(body).toContain('from 2 people')
  expect(body).toContain('aria-label="4.5 / 5"')
  expect(body).toContain('<h1 class="said" dir="auto">Website</h1>')
  expect(body).toContain('<a href="https://grace.example/" rel="nofollow ugc noopener noreferrer"')
  expect(body).not.toContain('Nobody approved this')
})

test('words of visitors are text, in the page and in its JSON-LD, which equals that of the API', async () => {
  await publish({
    body: HOSTILE,
    title: HOSTILE,
    author_name: HOSTILE,
    author_company: HOSTILE,
    author_avatar_url: 'https://stranger.example/a.png',
    rating: 5,
  })
  const { project } = team
  await service.client(team.token).projects.update({ ...project, name: HOSTILE })
  const id = await create({})
  const { body } = await show(id)
  expect(body.match(/<script/g)).toHaveLength(1)
  expect(body).not.toContain('<b>\n')
  expect(body).not.toContain('stranger.example')
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(body)?.[1] ?? ''
  const { json_ld } = await service.client().public.widgets.retrieve({ widget_id: id })
  expect(JSON.parse(data)).toEqual(json_ld)
  expect(json_ld.review[0]?.reviewBody).toBe(HOSTILE)
})

test('a page may be framed by any site, runs no script, and loads from the service and its store alone', async () => {
  const { headers } = await show(await create({}))
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' https://media.example; media-src 'self' https://media.example; base-uri 'none'; form-action 'none'; frame-ancestors *",
  )
  expect(headers.get('x-frame-options')).toBeNull()
  expect(headers.get('set-cookie')).toBeNull()
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('x-ratelimit-limit')).not.toBeNull()
})

test('an unchanged page is 304; what loses its approval is gone with the next request', async () => {
  const id = await publish({ body: 'For a while.' })
  const widget = await create({})
  const before = await show(widget)
  const tag = before.headers.get('etag') ?? ''
  expect((await show(widget, { 'if-none-match': tag })).status).toBe(304)
  const compressed = await fetch(`${service.url}/w/${widget}`, { headers: { 'accept-encoding': 'gzip' } })
  expect([compressed.headers.get('content-encoding'), compressed.headers.get('etag')]).toEqual(['gzip', tag])
  expect(compressed.headers.get('vary')).toMatch(/accept-encoding/)
  expect(await compressed.text()).toBe(before.body)
  await service.client(team.token).submissions.reject({ ...team.project, submission_id: id, expected_state: 'approved' })
  const after = await show(widget, { 'if-none-match': tag })
  expect([after.status, after.body.includes('For a while.')]).toEqual([200, false])
  expect(after.headers.get('cache-control')).toBe('no-cache')
})

test('an unknown widget is a page with status 404 that search engines leave out', async () => {
  const deleted = await create({})
  await service.client(team.token).widgets.delete({ ...team.project, widget_id: deleted })
  for (const id of [deleted, 'x', "'", '%00', '00000000-0000-7000-8000-000000000000', '', `${deleted}/more`, '?embed']) {
    const { status, headers, body } = await show(id)
    expect([id, status, headers.get('content-type')]).toEqual([id, 404, 'text/html; charset=utf-8'])
    expect(body).toContain('What was shown here was removed, or the link is incomplete.')
    expect(body).toContain('<meta name="robots" content="noindex">')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  }
  const german = await show(`${deleted}?embed`, { 'accept-language': 'de' })
  expect(german.body).toContain('<html lang="de" dir="ltr">')
  expect(german.body).toContain('<h1>Diese Seite gibt es nicht</h1>')
  expect(german.body).toContain('<body class="visit embed">')
})

test('the page is counted as a request of the public API, and refused as one', async () => {
  const strict = await startTestService({ rateLimitMultiplier: 0.01 })
  try {
    const statuses = new Set<number>()
    let last = await strict.send('GET', '/w/x')
    for (let count = 0; count < 20 && last.status !== 429; count += 1) {
      statuses.add(last.status)
      last = await strict.send('GET', '/w/x')
    }
    expect([last.status, Number(last.headers.get('retry-after')) > 0, last.headers.get('content-type')]).toEqual([
      429,
      true,
      'text/html; charset=utf-8',
    ])
    expect((await strict.send('GET', '/api/public/v1/widgets/x/')).status).toBe(429)
  } finally {
    await strict.close()
  }
})

test('the page speaks the language that is asked for, else the one of the browser, else English', async () => {
  await publish({ rating: 5 })
  const widget = await create({})
  const cases: [query: string, accepted: string, lang: string, words: string][] = [
    ['', 'de-AT,en;q=0.5', '<html lang="de" dir="ltr">', 'von 1 Person<'],
    ['', 'tlh, fr;q=0.2, ja;q=0.9', '<html lang="ja" dir="ltr">', '1人の声'],
    ['?lang=ar', 'de', '<html lang="ar" dir="rtl">', 'عدد الآراء: '],
    ['?lang=xx', 'tlh', '<html lang="en" dir="ltr">', 'from 1 person<'],
  ]
  for (const [query, accepted, lang, words] of cases) {
    const { body, headers } = await show(widget + query, { 'accept-language': accepted })
    const vary = 'accept-language, accept-encoding'
    expect([accepted, headers.get('vary'), body.includes(lang), body.includes(words)]).toEqual([accepted, vary, true, true])
  }
})

test('a badge has no items; a plan that asks for it names the service; the theme is that of the widget', async () => {
  await publish({ rating: 5 })
  const widget = await create({ layout: 'badge', theme: { color: '#3366FF', mode: 'dark' } })
  const { body } = await show(widget)
  expect(body).toContain('data-theme="dark"')
  expect(body).not.toContain('<li class')
  expect(body).not.toContain('Collected with Earshot')
  const theme = /href="(\/w\/theme\/[^"]+)"/.exec(body)?.[1] ?? ''
  expect((await service.send('GET', theme)).body).toMatch(/^:root \{ --brand: #3366FF; \}$/im)
  expect((await service.send('GET', '/w/theme/red;}.css')).status).toBe(404)
  await service.database.run("update teams set plan = 'free' where id = $1", [team.id])
  expect((await show(widget)).body).toContain('>Collected with Earshot</a>')
})

test('a video plays without script, and is not loaded before', async () => {
  const draft = { author: { name: 'Ada' }, consent: { granted: true }, body: 'Look.', rating: 5 }
  const ref = await makeReadyVideo(service, team, { clip: Buffer.from('a clip'), draft })
  const { submission_id } = await service.client(team.token).videos.draft.submit(ref)
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: submission_id ?? '' })
  const { body } = await show(await create({}))
  expect(body).toMatch(/<video class="clip" controls playsinline preload="none" width="1280" height="720" poster="[^"]+" aria-label="Ada">/)
})

test('the style needs no build, and is 304 for those who have it', async () => {
  const { status, headers, body } = await service.send('GET', '/w/widget.css')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  expect(body).toContain('.card')
  expect((await service.send('GET', '/w/widget.css', { headers: { 'if-none-match': headers.get('etag') ?? '' } })).status).toBe(304)
})

type Settings = Partial<Parameters<ReturnType<TestService['client']>['widgets']['create']>[0]>

async function create(settings: Settings): Promise<string> {
  return (await service.client(team.token).widgets.create({ name: 'Widget', layout: 'wall', ...settings, ...team.project })).id
}

async function publish(fields: Partial<NewSubmission>): Promise<string> {
  const { id } = await team.submit({ consent_granted: true, ...fields })
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: id })
  return id
}

function show(id: string, headers: Record<string, string> = {}) {
  return service.send('GET', `/w/${id}`, { headers: { 'accept-language': 'en', ...headers } })
}
