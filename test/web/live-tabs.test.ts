import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Browser, pass, type Tab } from './browser.ts'
import { GATHER_MS, LiveProject, RETRIEVE, STREAM, shownIn } from './live.ts'
import { changeOf, PROJECT, submissionOf } from './records.ts'
import { refusal } from './service.ts'

/** Tabs that begin at once settle within this time who leads. */
const SETTLED_MS = 1_500
const LEADER_IS_GONE_MS = 6_000
/** Where the tab that leads writes the time, when there are no locks. */
const LEADER = `earshot.lead.earshot-stream-${PROJECT}`

let project: LiveProject

beforeEach(() => {
  vi.useFakeTimers()
  project = new LiveProject()
})

afterEach(() => void vi.useRealTimers())

describe.each([
  ['with locks', true],
  ['without locks, over plain http', false],
])('%s,', (_name, hasLocks) => {
  let browser: Browser

  beforeEach(() => {
    browser = new Browser({ hasLocks })
  })

  test('one of several tabs has the stream, reads for all, and tells the others', async () => {
    const tabs = await openTabs(browser, 3)
    expect(project.service.sent(STREAM)).toHaveLength(1)
    expect(statesOf(tabs)).toEqual(['live', 'live', 'live'])
    arrive('ada')
    await pass(GATHER_MS)
    expect(tabs.map((tab) => shownIn(tab))).toEqual([['ada'], ['ada'], ['ada']])
    expect(project.service.sent(RETRIEVE)).toHaveLength(1)
  })

  test('when the tab that leads is closed, another one goes on where it was', async () => {
    const tabs = await openTabs(browser, 2)
    arrive('ada')
    await pass(GATHER_MS)
    const [leader] = tabs
    leader?.close()
    await pass(SETTLED_MS)
    expect(project.service.sent(STREAM).map(({ query }) => query.cursor)).toEqual([undefined, 'c1'])
    project.stream.ready('c1')
    arrive('ben')
    await pass(10_000)
    expect(shownIn(tabs[1] as Tab)).toEqual(['ben', 'ada'])
  })

  test('a tab that is opened later hears at once whether changes appear by themselves', async () => {
    await openTabs(browser, 1)
    const later = await project.open(browser)
    expect(later.dashboard.liveState.useLiveState()).toBe('live')
    project.stream.end()
    await pass()
    expect(later.dashboard.liveState.useLiveState()).toBe('connecting')
  })

  test('what is told to one project stays in its tabs', async () => {
    const other = browser.openTab({ service: project.service })
    await openTabs(browser, 1)
    other.dashboard.follow.follow(
      { team_id: 'team-1', project_id: 'project-2' },
      { signal: new AbortController().signal, onChange: never, onBatch: never, onReady: () => {}, onExpired: never },
    )
    await pass(SETTLED_MS)
    expect(project.service.sent(STREAM).map(({ path }) => path.split('/')[3])).toEqual([PROJECT, 'project-2'])
  })

  test('a tab that missed a message begins its lists again, and goes on from there', async () => {
    const [leader, follower] = await openTabs(browser, 2)
    arrive('ada')
    await pass(GATHER_MS)
    project.stored.set('ben', submissionOf({ id: 'ben' }))
    const batch = { changes: [changeOf('cleo', 'pending')], submissions: [] }
    browser.post(`earshot-stream-${PROJECT}`, { batch, from: 'c2', to: 'c3' })
    await pass()
    expect([leader, follower].map((tab) => shownIn(tab as Tab))).toEqual([
      ['ben', 'ada'],
      ['ben', 'ada'],
    ])
    browser.post(`earshot-stream-${PROJECT}`, { batch: { changes: [], submissions: [submissionOf({ id: 'dora' })] }, from: 'c3', to: 'c4' })
    await pass()
    expect(shownIn(follower as Tab)).toEqual(['dora', 'ben', 'ada'])
  })

  test('changes that are no longer kept begin the lists of all tabs again, and the stream goes on with the newest', async () => {
    const tabs = await openTabs(browser, 2)
    project.stored.set('ada', submissionOf({ id: 'ada' }))
    const expired = () => refusal(400, 'cursor_expired', { oldest_cursor: 'c7', newest_cursor: 'c9' })
    project.service.on(STREAM, (request) => (request.query.cursor === 'c9' ? project.stream.open(request) : expired()))
    project.stream.end()
    await pass(1_000)
    expect(project.service.sent(STREAM).map(({ query }) => query.cursor)).toEqual([undefined, 'c0', 'c9'])
    expect(tabs.map((tab) => shownIn(tab))).toEqual([['ada'], ['ada']])
    project.stream.ready('c9')
    await pass()
    expect(statesOf(tabs)).toEqual(['live', 'live'])
  })

  test('a tab that leaves the project gives the stream to another, and hears no more', async () => {
    const leader = browser.openTab({ service: project.service })
    const stop = leader.dashboard.showChanges.showChanges({ team_id: 'team-1', project_id: PROJECT })
    await pass(SETTLED_MS)
    project.stream.ready('c0')
    await pass()
    const next = await project.open(browser)
    stop()
    await pass(SETTLED_MS)
    expect(project.service.sent(STREAM)).toHaveLength(2)
    project.stream.ready('c0')
    arrive('ada')
    await pass(10_000)
    expect(shownIn(next)).toEqual(['ada'])
    expect(leader.errors).toEqual([])
  })
})

describe('without locks,', () => {
  let browser: Browser

  beforeEach(() => {
    browser = new Browser({ hasLocks: false })
  })

  test('a tab that stands still is replaced, and gives way when it goes on', async () => {
    const tabs = await openTabs(browser, 2)
    const [leader, other] = tabs as [Tab, Tab]
    leader.freeze()
    await pass(LEADER_IS_GONE_MS)
    expect(project.service.sent(STREAM)).toHaveLength(2)
    project.stream.ready('c0')
    leader.thaw()
    await pass(LEADER_IS_GONE_MS)
    arrive('ada')
    await pass(10_000)
    expect(tabs.map((tab) => shownIn(tab))).toEqual([['ada'], ['ada']])
    expect(project.service.sent(STREAM)).toHaveLength(2)
    other.close()
    await pass(SETTLED_MS)
    expect(project.service.sent(STREAM)).toHaveLength(3)
  })

  test('a hidden tab does not take the stream from one whose timers run once a minute', async () => {
    const [leader, other] = (await openTabs(browser, 2)) as [Tab, Tab]
    other.isVisible = false
    leader.freeze()
    await pass(80_000)
    expect(project.service.sent(STREAM)).toHaveLength(1)
    await pass(15_000)
    expect(project.service.sent(STREAM)).toHaveLength(2)
  })

  test('a leader whose clock was ahead does not lead for ever after it is gone', async () => {
    browser.localStorage.setItem(LEADER, `1,2 ${Date.now() + 3_600_000}`)
    await project.open(browser)
    await pass(SETTLED_MS)
    expect(project.service.sent(STREAM)).toHaveLength(1)
  })

  test('of several tabs that begin at the same moment, one leads', async () => {
    await Promise.all(Array.from({ length: 7 }, () => project.open(browser)))
    await pass(20_000)
    expect(project.service.sent(STREAM)).toHaveLength(1)
  })

  test('a tab that began at the same moment as another one leaves the stream to the last that has written', async () => {
    await project.open(browser)
    browser.localStorage.setItem(LEADER, `1,2 ${Date.now()}`)
    await pass(SETTLED_MS)
    expect(project.service.sent(STREAM)).toEqual([])
    await pass(LEADER_IS_GONE_MS)
    expect(project.service.sent(STREAM)).toHaveLength(1)
  })

  test('each tab is on its own where the browser keeps nothing', async () => {
    browser.localStorage.isBroken = true
    await project.open(browser)
    await project.open(browser)
    await pass(SETTLED_MS)
    expect(project.service.sent(STREAM)).toHaveLength(2)
  })

  test('a tab that is closed leaves nothing behind in the browser', async () => {
    const [leader] = await openTabs(browser, 1)
    expect(browser.localStorage.keys()).toHaveLength(1)
    leader?.close()
    expect(browser.localStorage.keys()).toEqual([])
  })
})

/** Opens tabs, of which the first one leads. */
async function openTabs(browser: Browser, count: number): Promise<Tab[]> {
  const tabs = [await project.open(browser)]
  await pass(SETTLED_MS)
  project.stream.ready('c0')
  await pass()
  while (tabs.length < count) tabs.push(await project.open(browser))
  return tabs
}

function arrive(id: string): void {
  project.change([changeOf(id, 'pending')], [submissionOf({ id })])
}

function statesOf(tabs: readonly Tab[]): string[] {
  return tabs.map(({ dashboard }) => dashboard.liveState.useLiveState())
}

function never(): never {
  throw new Error('This project has no changes')
}
