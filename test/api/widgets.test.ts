import { randomUUID } from 'node:crypto'
import { sizes } from '@earshot/contracts'
import type { NewSubmission } from '@earshot/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let store: TestDatabase
let service: TestService
let team: Team
beforeAll(async () => {
  store = await openTestDatabase()
  service = { ...(await startTestService({ database: store.database })), database: store.database }
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(async () => {
  await service.close()
  await store.close()
})

test('a widget is created with defaults, changed field by field, listed and deleted', async () => {
  const { widgets } = service.client(team.token)
  const made = await widgets.create({ ...team.project, name: 'Home page', layout: 'wall' })
  expect(made).toMatchObject({
    ...{ name: 'Home page', layout: 'wall', order: 'featured', max_items: 20 },
    filter: { tags: [], kinds: [], min_rating: null },
    theme: { color: null, mode: 'auto' },
  })
  const ref = { ...team.project, widget_id: made.id }
  const change: Settings = {
    layout: 'carousel',
    order: 'rating',
    filter: { tags: ['a', 'b', 'a'], min_rating: 4 },
    theme: { mode: 'dark' },
  }
  expect(await widgets.update({ ...ref, ...change })).toMatchObject({
    ...{ name: 'Home page', layout: 'carousel', order: 'rating', max_items: 20 },
    filter: { tags: ['a', 'b'], kinds: [], min_rating: 4 },
    theme: { color: null, mode: 'dark' },
  })
  await widgets.update({ ...ref, filter: { min_rating: null, kinds: ['text'] }, theme: { color: '#3366ff' } })
  const changed = await widgets.retrieve(ref)
  expect(changed).toMatchObject({
    filter: { tags: ['a', 'b'], kinds: ['text'], min_rating: null },
    theme: { color: '#3366ff', mode: 'dark' },
  })
  expect((await widgets.list(team.project)).results).toEqual([changed])
  await widgets.delete(ref)
  expect((await widgets.list(team.project)).results).toEqual([])
  expect((await show(made.id)).status).toBe(404)
  await expect(widgets.retrieve(ref)).rejects.toMatchObject({ status: 404 })
})

test('a featured order shows the featured items by their position, then the newest', async () => {
  const old = await publish({ featured: true, position: 2 })
  const plain = await publish({})
  const placed = await publish({ featured: true, position: 1.5 })
  const unplaced = await publish({ featured: true })
  const newest = await publish({})
  expect(await shown({ order: 'featured' })).toEqual([placed, old, unplaced, newest, plain])
  expect(await shown({ order: 'newest' })).toEqual([newest, unplaced, placed, plain, old])
  expect(await shown({ order: 'featured', max_items: 2 })).toEqual([placed, old])
  expect(await shown({ order: 'featured', max_items: 4 })).toEqual([placed, old, unplaced, newest])
})

test('an order by rating shows the best rated first, and those without a rating last', async () => {
  const unrated = await publish({})
  const two = await publish({ rating: 2 })
  const five = await publish({ rating: 5 })
  const fiveAgain = await publish({ rating: 5 })
  expect(await shown({ order: 'rating' })).toEqual([fiveAgain, five, two, unrated])
})

test('filters narrow what is shown: one of the tags, one of the kinds, at least the rating', async () => {
  const launch = await publish({ tags: ['launch'], rating: 5 })
  const home = await publish({ tags: ['home', 'b'], rating: 3, featured: true })
  const testimonial = await publish({ kind: 'testimonial', rating: 4 })
  expect(await shown({ filter: { tags: ['launch', 'home'] } })).toEqual([home, launch])
  expect(await shown({ filter: { tags: ['launch', 'home'], min_rating: 4 } })).toEqual([launch])
  expect(await shown({ filter: { kinds: ['testimonial'] } })).toEqual([testimonial])
  expect(await shown({ filter: { min_rating: 4 }, order: 'newest' })).toEqual([testimonial, launch])
  expect(await shown({ filter: { tags: ['none'] } })).toEqual([])
})

test('what loses approval or consent is gone with the next request, and nothing private is shown', async () => {
  const client = service.client(team.token)
  const hidden = { author_email: 'secret@example.com', metadata: { secret: 'inner' }, moderation_reason: 'inner' }
  const kept = await publish(hidden)
  const rejected = await publish(hidden)
  await team.submit({ ...hidden, consent_granted: true })
  const widget = await client.widgets.create({ ...team.project, name: 'inner', layout: 'wall' })
  const before = await show(widget.id)
  expect(idsOf(before.body)).toEqual([rejected, kept])
  expect(JSON.stringify(before.body)).not.toMatch(/secret|inner|email|metadata|reason/)
  expect((await show(widget.id, { 'if-none-match': String(before.headers.get('etag')) })).status).toBe(304)

  await client.submissions.reject({ ...team.project, submission_id: rejected, expected_state: 'approved' })
  const after = await show(widget.id, { 'if-none-match': String(before.headers.get('etag')) })
  expect([after.status, idsOf(after.body)]).toEqual([200, [kept]])
  expect(after.headers.get('cache-control')).toBe('no-cache')
})

test('an unchanged widget is 304 by one statement; whatever changes what it shows changes its tag', async () => {
  const client = service.client(team.token)
  const { project } = team
  const testimonial_id = await publish({ kind: 'testimonial', body: 'Saved us a week, every month.' })
  const submission_id = await publish({ rating: 4 })
  const rejected = await publish({})
  const widget_id = await create({})
  const tagOf = async () => (await show(widget_id)).headers.get('etag')
  let tag = await tagOf()
  const expectSame = async () => {
    const sent = store.statements.length
    const answer = await show(widget_id, { 'if-none-match': String(tag) })
    expect([answer.status, answer.headers.get('etag'), store.statements.length - sent]).toEqual([304, tag, 1])
  }
  await expectSame()

  // Nobody sees these.
  const pending = await team.submit({})
  await client.submissions.reject({ ...project, submission_id: pending.id })
  await client.submissions.update({ ...project, submission_id: pending.id, tags: ['new'] })
  await expectSame()

  const changes: Record<string, () => Promise<unknown>> = {
    excerpt: () => client.testimonials.update({ ...project, testimonial_id, excerpt: 'Saved us a week' }),
    featured: () => client.testimonials.update({ ...project, testimonial_id, featured: true }),
    position: () => client.testimonials.update({ ...project, testimonial_id, position: 2 }),
    tags: () => client.submissions.update({ ...project, submission_id, tags: ['new'] }),
    rejection: () => client.submissions.reject({ ...project, submission_id: rejected, expected_state: 'approved' }),
    approval: () => client.submissions.approve({ ...project, submission_id: rejected, expected_state: 'rejected' }),
    deletion: () => client.submissions.delete({ ...project, submission_id: rejected }),
    order: () => client.widgets.update({ ...project, widget_id, order: 'newest' }),
    'name of the project': () => client.projects.update({ ...project, name: 'Another name' }),
    plan: () => service.database.run("update teams set plan = 'free' where id = $1", [team.id]),
  }
  for (const [what, change] of Object.entries(changes)) {
    await change()
    const answer = await show(widget_id, { 'if-none-match': String(tag) })
    expect([what, answer.status]).toEqual([what, 200])
    expect([what, answer.headers.get('etag')]).not.toEqual([what, tag])
    tag = answer.headers.get('etag')
    await expectSame()
  }
})

test('a badge has count and average of the project, and no items; without ratings it claims none', async () => {
  const widget = await create({ layout: 'badge' })
  const unrated = (await show(widget)).body
  expect(unrated.aggregate).toEqual({ count: 0, average_rating: null })
  expect(unrated.json_ld).not.toHaveProperty('aggregateRating')
  await publish({ rating: 5 })
  await publish({ rating: 4 })
  await publish({})
  const { body } = await show(widget)
  expect(body).toMatchObject({ layout: 'badge', items: [], aggregate: { count: 3, average_rating: 4.5 } })
  expect(body.json_ld).toMatchObject({ aggregateRating: { ratingValue: 4.5, ratingCount: 2, bestRating: 5, worstRating: 1 }, review: [] })
})

test('the JSON-LD has the rated items as reviews, and the project as what they are of', async () => {
  await publish({})
  await publish({ rating: 4, body: 'Saved us a week, every month.', excerpt: 'Saved us a week', author_name: 'Ada' })
  const { json_ld } = (await show(await create({}))).body
  expect(json_ld).toMatchObject({ '@context': 'https://schema.org', '@type': 'Product', name: expect.any(String) })
  expect(json_ld.review).toEqual([
    {
      '@type': 'Review',
      author: { '@type': 'Person', name: 'Ada' },
      datePublished: new Date().toISOString().slice(0, 10),
      reviewBody: 'Saved us a week',
      reviewRating: { '@type': 'Rating', ratingValue: 4, bestRating: 5, worstRating: 1 },
    },
  ])
})

test('long texts are cut, and the payload stays below its size whatever the items are', async () => {
  const long = await publish({ body: '日'.repeat(sizes.bodyCharacters), rating: 5 })
  const widget = await create({ max_items: sizes.widgetItems, order: 'newest' })
  const [item] = (await show(widget)).body.items
  expect(item).toMatchObject({ id: long, body: '日'.repeat(sizes.widgetBodyCharacters), truncated: true })
  // Two UTF-16 units each, one character.
  await publish({ body: '😀'.repeat(sizes.widgetBodyCharacters + 1), rating: 5 })
  const ofEmoji = (await show(widget)).body
  expect(ofEmoji.items[0]).toMatchObject({ body: '😀'.repeat(sizes.widgetBodyCharacters), truncated: true })
  expect(ofEmoji.json_ld.review[0].reviewBody).toBe('😀'.repeat(sizes.widgetReviewCharacters))
  const whole = await publish({ body: 'x'.repeat(sizes.widgetBodyCharacters) })
  expect((await show(widget)).body.items[0]).toMatchObject({ id: whole, truncated: false })

  for (let count = 0; count < sizes.widgetItems; count += 1)
    await publish({
      body: '"日'.repeat(2_000),
      title: '日'.repeat(sizes.titleCharacters),
      rating: 5,
      tags: ['日'.repeat(sizes.tagCharacters)],
    })
  const { text, body } = await showText(widget)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(sizes.widgetBytes)
  expect(body.items.length).toBeGreaterThan(5)
})

test('a plan that includes widgets without the badge shows none', async () => {
  const free = await makeTeam(service.database, { plan: 'free' })
  const widgetOfFree = await service.database.run<{ id: string }>(
    `insert into widgets (team_id, project_id, name, layout, item_order, max_items, filter_tags, filter_kinds, theme_mode)
     values ($1, $2, 'Wall', 'wall', 'newest', 10, '{}', '{}', 'auto') returning id`,
    [free.id, free.project.project_id],
  )
  expect((await show(String(widgetOfFree[0]?.id))).body).toMatchObject({ has_badge: true })
  expect((await show(await create({}))).body).toMatchObject({ has_badge: false })
})

test('a widget is found by its id alone, and only in its own project; hostile ids find none', async () => {
  const { client } = service
  const other = await makeTeam(service.database)
  const widget = await create({})
  await expect(client(other.token).widgets.retrieve({ ...other.project, widget_id: widget })).rejects.toMatchObject({ status: 404 })
  for (const id of [randomUUID(), 'x', `${widget}x`, "'", '%00', team.project.project_id]) expect((await show(id)).status).toBe(404)
})

const BAD: [string, object, string][] = [
  ['too many items', { max_items: 51 }, 'max_items'],
  ['no item', { max_items: 0 }, 'max_items'],
  ['an unknown layout', { layout: 'grid' }, 'layout'],
  ['a colour that is none', { theme: { color: 'red' } }, 'theme.color'],
  ['an unknown kind', { filter: { kinds: ['audio'] } }, 'filter.kinds.0'],
  ['a rating beyond the stars', { filter: { min_rating: 6 } }, 'filter.min_rating'],
  ['a NUL in a tag', { filter: { tags: ['a\u0000'] } }, 'filter.tags.0'],
  ['an unknown filter', { filter: { state: 'pending' } }, 'filter.state'],
]
test.each(BAD)('a widget with %s is refused by its field', async (_what, fields, field) => {
  const { team_id, project_id } = team.project
  const body = { name: 'Widget', layout: 'wall', ...fields }
  const answer = await service.send('POST', `/api/v1/teams/${team_id}/projects/${project_id}/widgets/`, { token: team.token, body })
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field }] } })
})

type Widgets = ReturnType<TestService['client']>['widgets']
type Settings = Partial<Omit<Parameters<Widgets['create']>[0], 'team_id' | 'project_id'>>

async function create(settings: Settings): Promise<string> {
  return (await service.client(team.token).widgets.create({ ...team.project, name: 'Widget', layout: 'wall', ...settings })).id
}

async function publish(fields: Partial<NewSubmission>): Promise<string> {
  const { id } = await team.submit({ consent_granted: true, ...fields })
  await service.client(team.token).submissions.approve({ ...team.project, submission_id: id })
  return id
}

function show(id: string, headers: Record<string, string> = {}) {
  return service.send('GET', `/api/public/v1/widgets/${id}/`, { headers })
}

async function showText(id: string) {
  const text = await (await fetch(`${service.url}/api/public/v1/widgets/${id}/`)).text()
  return { text, body: JSON.parse(text) }
}

async function shown(settings: Settings): Promise<string[]> {
  return idsOf((await show(await create(settings))).body)
}

function idsOf({ items }: { items: { id: string }[] }): string[] {
  return items.map(({ id }) => id)
}
