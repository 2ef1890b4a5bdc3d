import { createWidget } from '@earshot/db'
import { foldTagChanges } from '@earshot/db/dispatch'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestDispatcher } from '../support/test-dispatcher.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startWholeWorker } from '../support/whole-worker.ts'

/** What a request changes at once. */
const AT_ONCE = 1_000

let service: TestService
let team: Team
let tags: string
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  tags = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/tags/`
})
afterAll(() => service.close())

test('tags are listed in order with how many submissions have them, folded or not', async () => {
  const client = service.client(team.token)
  const first = await team.submit({ tags: ['launch', 'api'] })
  const second = await team.submit({ tags: ['launch', 'Über'] })
  await team.submit()
  const look = async (expected: object) => {
    expect(await listed()).toEqual(expected)
    await foldAll()
    expect(await listed()).toEqual(expected)
  }
  await look({ api: 1, launch: 2, Über: 1 })
  await client.submissions.update({ ...team.project, submission_id: first.id, tags: ['api', 'new'] })
  await look({ api: 1, launch: 1, new: 1, Über: 1 })
  await client.submissions.delete({ ...team.project, submission_id: second.id })
  await look({ api: 1, new: 1 })
  expect(await service.database.run('select tag from tag_totals where team_id = $1 order by tag', [team.id])).toEqual([
    { tag: 'api' },
    { tag: 'new' },
  ])
})

test('pages hold every tag once, in order, while some are folded', async () => {
  const names = Array.from({ length: 25 }, (_value, index) => `tag ${String(index).padStart(2, '0')}`)
  await team.submit({ tags: names.filter((_name, index) => index % 2 === 0) })
  await foldAll()
  await team.submit({ tags: names.filter((_name, index) => index % 2 === 1) })
  // What is left of a tag that is used no more.
  const { id } = await team.submit({ tags: ['tag 00a'] })
  await foldAll()
  await service.client(team.token).submissions.delete({ ...team.project, submission_id: id })
  const seen: string[] = []
  let cursor = ''
  do {
    const { body } = await service.send('GET', `${tags}?limit=3${cursor && `&cursor=${cursor}`}`, { token: team.token })
    seen.push(...body.results.map(({ tag }: { tag: string }) => tag))
    cursor = body.next_cursor
  } while (cursor)
  expect(seen).toEqual(names)
})

test.each(['%00', 'AA', '!'])('the cursor %s is refused', async (cursor) => {
  const answer = await service.send('GET', `${tags}?cursor=${cursor}`, { token: team.token })
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_cursor'])
})

test('a tag is renamed in every submission and widget, with one line in the audit log', async () => {
  const { id } = await team.submit({ tags: ['a/b ü', 'kept'] })
  await team.submit({ tags: ['a/b ü'] })
  const widget = await createWidget(service.database, actor(), team.project, {
    ...{ name: 'Home', layout: 'wall', filter_tags: ['a/b ü', 'kept'] },
  })
  expect(await patch('a/b ü', 'new')).toMatchObject({ status: 200, body: { tag: 'new', count: 2 } })
  expect(await listed()).toEqual({ kept: 1, new: 2 })
  const client = service.client(team.token)
  expect((await client.submissions.retrieve({ ...team.project, submission_id: id })).tags).toEqual(['new', 'kept'])
  expect((await client.submissions.list({ ...team.project, tag: 'new' })).results).toHaveLength(2)
  expect((await client.widgets.retrieve({ ...team.project, widget_id: widget.id })).filter.tags).toEqual(['new', 'kept'])
  expect(await auditOf('tag.renamed')).toMatchObject([{ target: { type: 'tag' }, changes: { tag: { from: 'a/b ü', to: 'new' } } }])
})

test('a tag that takes the name of another becomes one with it', async () => {
  const { id } = await team.submit({ tags: ['setup', 'onboarding'] })
  await team.submit({ tags: ['onboarding'] })
  expect((await patch('onboarding', 'setup')).body).toEqual({ tag: 'setup', count: 2 })
  expect(await listed()).toEqual({ setup: 2 })
  expect((await service.client(team.token).submissions.retrieve({ ...team.project, submission_id: id })).tags).toEqual(['setup'])
  expect(await auditOf('tag.merged')).toHaveLength(1)
})

test('a deleted tag is gone from submissions and widgets, and its name can be used again', async () => {
  await team.submit({ tags: ['old', 'kept'] })
  const widget = await createWidget(service.database, actor(), team.project, { name: 'Home', layout: 'wall', filter_tags: ['old'] })
  expect((await send('DELETE', 'old')).status).toBe(204)
  expect(await listed()).toEqual({ kept: 1 })
  expect((await send('DELETE', 'old')).status).toBe(404)
  const { filter } = await service.client(team.token).widgets.retrieve({ ...team.project, widget_id: widget.id })
  expect(filter.tags).toEqual([])
  await team.submit({ tags: ['old'] })
  expect(await listed()).toEqual({ kept: 1, old: 1 })
  expect(await auditOf('tag.deleted')).toHaveLength(1)
})

test('renaming a tag to itself changes nothing; an unknown tag, or one of another project, is not found', async () => {
  await team.submit({ tags: ['here'] })
  expect(await patch('here', 'here')).toMatchObject({ status: 200, body: { tag: 'here', count: 1 } })
  expect((await patch('there', 'here')).status).toBe(404)
  const other = await makeTeam(service.database)
  const foreign = tags.replace(team.id, other.id).replace(team.project.project_id, other.project.project_id)
  expect((await service.send('PATCH', `${foreign}here/`, { token: other.token, body: { name: 'x' } })).status).toBe(404)
  expect(await listed()).toEqual({ here: 1 })
})

test('of very many submissions a job changes those that the request left', async () => {
  const { database } = service
  await database.run(
    `insert into submissions (team_id, project_id, kind, channel, body, author_name, tags)
     select $1, $2, 'text', 'api', 'x', 'y', '{big}' from generate_series(1, $3::int)`,
    [team.id, team.project.project_id, AT_ONCE + 200],
  )
  expect((await patch('big', 'large')).body).toEqual({ tag: 'large', count: AT_ONCE })
  expect(await listed()).toEqual({ big: 200, large: AT_ONCE })
  const worker = await startWholeWorker(service)
  await expect.poll(listed).toEqual({ large: AT_ONCE + 200 })
  await worker.stop({ timeoutMs: 1_000 })
})

test('a worker folds tags', async () => {
  await team.submit({ tags: ['here'] })
  const worker = await startTestDispatcher(service)
  const unfolded = async () => (await service.database.run('select from tag_changes', [])).length
  await expect.poll(unfolded).toBe(0)
  await worker.stop()
  expect(await listed()).toEqual({ here: 1 })
})

test('two merges in opposite directions and writers at once lose no submission', async () => {
  for (let count = 0; count < 30; count += 1) await team.submit({ tags: [count % 2 ? 'left' : 'right'] })
  const answers = await Promise.all([patch('left', 'right'), patch('right', 'left'), team.submit({ tags: ['left', 'right'] })])
  expect(answers.slice(0, 2).map((answer) => 'status' in answer && [200, 404].includes(answer.status))).toEqual([true, true])
  const counts = Object.values(await listed()).reduce((sum, count) => sum + count, 0)
  expect(counts).toBeGreaterThanOrEqual(31)
  expect(counts).toBeLessThanOrEqual(32)
})

function actor() {
  return { userId: team.ownerId, credentialId: null, credentialKind: 'operator' as const, ip: null }
}

function send(method: string, tag: string, body?: unknown) {
  return service.send(method, `${tags}${encodeURIComponent(tag)}/`, { token: team.token, ...(body !== undefined && { body }) })
}

function patch(tag: string, name: string) {
  return send('PATCH', tag, { name })
}

test('tags that several people add and remove at once are all kept', async () => {
  const client = service.client(team.token)
  const { id: submission_id } = await team.submit({ tags: ['old', 'api'] })
  const ref = { ...team.project, submission_id }
  const added = Array.from({ length: 6 }, (_, index) => `tag-${index}`)
  await Promise.all([
    ...added.map((tag) => client.submissions.update({ ...ref, add_tags: [tag] })),
    client.submissions.update({ ...ref, remove_tags: ['old', 'none'] }),
  ])
  const { tags: kept } = await client.submissions.retrieve(ref)
  expect(kept.toSorted()).toEqual(['api', ...added])
  // Again, in one request: each tag is there once.
  const both = await client.submissions.update({ ...ref, tags: ['a', 'b'], add_tags: ['b', 'c'], remove_tags: ['a'] })
  expect(both.tags).toEqual(['b', 'c'])
  const many = Array.from({ length: 20 }, (_, index) => `many-${index}`)
  const refused = await service.send('PATCH', `${tags.replace(/tags\/$/, '')}submissions/${submission_id}/`, {
    token: team.token,
    body: { add_tags: many },
  })
  expect(refused).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'add_tags', code: 'too_many' }] } })
  expect((await client.submissions.retrieve(ref)).tags).toEqual(['b', 'c'])
})

async function listed(): Promise<Record<string, number>> {
  const { body } = await service.send('GET', `${tags}?limit=100`, { token: team.token })
  return Object.fromEntries(body.results.map(({ tag, count }: { tag: string; count: number }) => [tag, count]))
}

async function auditOf(action: string): Promise<object[]> {
  const { body } = await service.send('GET', `/api/v1/teams/${team.id}/audit-log/`, { token: team.token })
  return body.results.filter((entry: { action: string }) => entry.action === action)
}

async function foldAll(): Promise<void> {
  while ((await foldTagChanges(service.database, { max: 1_000 })) > 0);
}
