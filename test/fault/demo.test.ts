import type { Client } from '@earshot/contracts/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DataDir } from '../support/data-dir.ts'
import { getMedia } from '../support/media.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const GENEROUS_MS = 120_000
const DEMO = { args: ['--demo'] }
const DAY_MS = 86_400_000

let dataDir: DataDir
let environment: Record<string, string>
let service: ServiceProcess
let client: Client
let publicKey: string
let team: { team_id: string }
let project: { team_id: string; project_id: string }
beforeAll(async () => {
  dataDir = makePreparedDataDir()
  environment = { EARSHOT_DATA_DIR: dataDir.path }
  service = await startService(environment, DEMO)
  client = service.client(tokenIn(service.output()))
  publicKey = /\/projects\/(pk_\w+)\/items\//.exec(service.output())?.[1] ?? ''
  const [{ id: team_id }] = one((await client.teams.list({})).results)
  team = { team_id }
  project = { team_id, project_id: one((await client.projects.list(team)).results)[0].id }
}, GENEROUS_MS)
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await dataDir?.[Symbol.asyncDispose]()
})

const tokenIn = (output: string) => /EARSHOT_TOKEN=(svc_\w+)/.exec(output)?.[1] ?? ''
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

/** Asserts that a list has one entry. */
function one<Entry>(list: readonly Entry[]): [Entry] {
  expect(list).toHaveLength(1)
  const [entry] = list
  if (entry === undefined) throw new Error('The entry is undefined')
  return [entry]
}

test('the printed password signs the owner in', async () => {
  const password = /\(password (\S+)\)/.exec(service.output())?.[1]
  const reply = await service.send('POST', '/api/auth/session/', { body: { email: 'owner@example.com', password } })
  expect(reply).toMatchObject({ status: 200 })
})

test('the inbox has submissions of half a year in all states, languages and kinds', async () => {
  expect(await client.submissions.counts(project)).toMatchObject({ total: 56, pending: 12, approved: 38, rejected: 6 })
  const all = await Array.fromAsync(client.submissions.list(project))
  expect(new Set(all.map(({ language }) => language?.slice(0, 2)))).toEqual(new Set(['en', 'de', 'es', 'fr', 'pt', 'ja', 'ar']))
  expect(new Set(all.map(({ rating }) => rating))).toEqual(new Set([1, 2, 3, 4, 5, null]))
  expect(all.filter(({ state, moderation }) => (state === 'rejected') !== (moderation.reason !== null))).toEqual([])
  expect(all.some(({ consent }) => consent.revoked_at !== null)).toBe(true)
  const ages = all.map(({ created_at }) => (Date.now() - Date.parse(created_at)) / DAY_MS)
  expect([Math.floor(Math.max(...ages)), Math.floor(Math.min(...ages))]).toEqual([176, 0])
  // Decided on within days, as of then.
  const waits = all.flatMap(({ created_at, moderation: { at } }) => (at === null ? [] : [Date.parse(at) - Date.parse(created_at)]))
  expect([Math.min(...waits) >= 0, Math.max(...waits) < 3 * DAY_MS]).toEqual([true, true])
})

test('featured testimonials come in an order, and tags are counted', async () => {
  const { results } = await client.testimonials.list({ ...project, featured: true })
  expect(results.map(({ position }) => position).sort((a, b) => Number(a) - Number(b))).toEqual([1, 2, 3, 4, 5, 6])
  expect(results.filter(({ excerpt }) => excerpt !== null)).toHaveLength(5)
  expect((await client.tags.list(project)).results).toContainEqual({ tag: 'shift swaps', count: 3 })
})

test('words of a voice are found', async () => {
  const find = async () => (await client.submissions.list({ ...project, search: 'Larsen Cykler' })).results
  await until('the search has indexed them', async () => (await find()).length === 1, GENEROUS_MS)
  expect(await find()).toMatchObject([{ author: { company: 'Larsen Cykler' } }])
})

test('the NPS rises over a year', async () => {
  const { answered, series } = await client.analytics.nps({ ...project, interval: 'month', from: daysAgo(364) })
  expect(answered).toBe(402)
  const scores = series.filter((period) => period.answered >= 10).map(({ score }) => score ?? 0)
  expect(scores.length).toBeGreaterThanOrEqual(11)
  expect(scores[0]).toBeLessThan(30)
  expect(scores.at(-1)).toBeGreaterThan(50)
})

test('the overview has days with submissions and with responses', async () => {
  const { days, ...figures } = await client.analytics.overview({ ...project, from: daysAgo(180) })
  expect(figures).toMatchObject({ current: { submissions: { total: 56 } } })
  expect(days.filter(({ submissions }) => submissions > 0).length).toBeGreaterThan(30)
  expect(days.filter(({ responses }) => responses > 0).length).toBeGreaterThan(100)
})

test('surveys have results, with answers that were skipped', async () => {
  const { results } = await client.surveys.list(project)
  expect(results.map(({ name, status }) => [name, status])).toEqual([
    ['After the first week', 'draft'],
    ['What do you use?', 'active'],
    ['How are we doing?', 'active'],
  ])
  const { responses, questions } = await client.surveys.results({ ...project, survey_id: results[1]?.id ?? '' })
  const answered = new Map(questions.map((question) => [question.ref, question.answered]))
  expect(responses).toBe(80)
  expect(answered.get('role')).toBe(80)
  expect(answered.get('hours_saved')).toBeLessThan(80)
  expect(answered.get('missing')).toBeGreaterThan(3)
})

test('a video with captions becomes ready, plays and is public', { timeout: 2 * GENEROUS_MS }, async () => {
  const first = async () => one((await client.videos.list(project)).results)[0]
  await until('the video is ready', async () => (await first()).state === 'ready', GENEROUS_MS)
  const video = await first()
  expect(video).toMatchObject({ error: null, captions: [{ language: 'en', label: 'English' }] })
  expect(Math.round((video.duration_ms ?? 0) / 1_000)).toBe(5)
  const open = (address: string | null) => getMedia(service.url + new URL(address ?? '').pathname + new URL(address ?? '').search)
  const [clip, poster] = [await open(video.playback_url), await open(video.poster_url)]
  expect([clip.status, clip.headers['content-type'], clip.bytes.toString('latin1', 4, 8)]).toEqual([200, 'video/mp4', 'ftyp'])
  expect([poster.status, poster.bytes.toString('hex', 0, 3)]).toEqual([200, 'ffd8ff'])
})

test('widgets and the public list show what is approved and has consent', async () => {
  const { results } = await client.widgets.list(project)
  expect(results.map(({ layout }) => layout)).toEqual(['wall', 'carousel', 'badge'])
  const show = async (widget_id = '') => (await service.send('GET', `/api/public/v1/widgets/${widget_id}/`)).body.items
  const [wall, carousel] = [await show(results[0]?.id), await show(results[1]?.id)]
  expect([wall.length, carousel.length]).toEqual([30, 8])
  expect(wall[0]).toMatchObject({ author: { name: 'Amara Okafor' }, featured: true })
  const listed = await service.send('GET', `/api/public/v1/projects/${publicKey}/items/?limit=100`)
  const names = listed.body.results.map(({ author }: { author: { name: string } }) => author.name)
  expect(names).toContain('Amara Okafor')
  // Withdrawn, and never given.
  expect(names).not.toContain('Samuel Boateng')
  expect(names).not.toContain('Harriet Cole')
})

test('one endpoint is paused, one fails after eight attempts, and one is disabled', async () => {
  const { results } = await client.webhooks.list(team)
  expect(results.map(({ state, format, consecutive_failures }) => [state, format, consecutive_failures])).toEqual([
    ['paused', 'earshot', 0],
    ['active', 'earshot', 7],
    ['disabled', 'slack', 0],
  ])
  const [, crm] = results
  const endpoint = { ...team, webhook_id: crm?.id ?? '' }
  const deliveries = (await client.webhooks.deliveries.list(endpoint)).results
  expect(deliveries.filter(({ state }) => state === 'succeeded')).toHaveLength(3)
  expect(deliveries.filter(({ state, attempt_count }) => state === 'failed' && attempt_count === 8)).toHaveLength(7)
  const attempts = await Array.fromAsync(client.webhooks.attempts.list(endpoint))
  expect(attempts).toHaveLength(59)
  expect(attempts).toContainEqual(expect.objectContaining({ status_code: 500, error: null, response_body: expect.stringContaining('CRM') }))
  expect(attempts).toContainEqual(
    expect.objectContaining({ status_code: null, error: expect.objectContaining({ code: 'connection_refused' }) }),
  )
  expect((await client.webhooks.attempts.list({ ...team, webhook_id: results[0]?.id ?? '' })).results.length).toBeGreaterThan(9)
})

test('an import is done, with rows that failed', async () => {
  const [done] = one((await client.imports.list(project)).results)
  expect(done).toMatchObject({ state: 'completed', preset: 'trustpilot', totals: { rows: 16, created: 13, failed: 3 } })
  const { results } = await client.imports.rows.list({ ...project, import_id: done.id })
  expect(results.map(({ row }) => row)).toEqual([16, 15, 14])
})

test('the team has people, an invitation, a log of their decisions, events and usage', async () => {
  const members = (await client.members.list(team)).results
  expect(members.map(({ role }) => role).sort()).toEqual(['admin', 'member', 'owner'])
  expect((await client.invitations.list(team)).results).toMatchObject([{ state: 'pending', email: 'ines.duarte@example.com' }])
  const entries = await Array.fromAsync(client.teams.auditLog.list(team))
  const actors = new Set(entries.filter(({ action }) => action === 'submission.approved').map(({ actor }) => actor?.name))
  expect(actors).toEqual(new Set(['Tove Berg', 'Sam Achebe']))
  expect((await client.events.list(team)).results.length).toBeGreaterThan(0)
  expect((await client.teams.usage(team)).quotas).toContainEqual(expect.objectContaining({ quota: 'responses', used: 482 }))
})

test(
  'a second start creates a token alone',
  async () => {
    await service.stop()
    service = await startService(environment, DEMO)
    expect(service.output()).toContain('The demo data already exists.')
    const again = service.client(tokenIn(service.output()))
    expect((await again.teams.list({})).results).toHaveLength(1)
    expect(await again.submissions.counts(project)).toMatchObject({ total: 56 })
  },
  GENEROUS_MS,
)
