import { equal } from 'node:assert/strict'
import { PLAIN_HOST } from '../chromium.ts'
import type { Fixture, Flow } from './fixture.ts'
import { leaveWords } from './inbox.ts'

type Page = Fixture['page']

/** More than the connections that a browser has to one service (HTTP/1.1). */
const TABS = 7

/** Many tabs of one browser, also where it has no Web Locks: over plain http on a name of the local network. */
export const inboxTabsFlows: readonly Flow[] = [
  {
    name: 'tabs: over plain http, seven of them share one stream, and another takes over at once',
    run: async (fixture) => {
      const { context } = fixture
      const streams: Page[] = []
      context.on('request', (request) => void (request.url().includes('/submissions/stream/') && streams.push(request.frame().page())))
      const tabs = await openPlain(fixture, TABS)
      equal(await tabs[0]?.evaluate("isSecureContext || 'locks' in navigator"), false, 'there are no locks')
      equal(streams.length, 1)
      await leaveWords(fixture, ['Kim'])
      for (const tab of tabs) await tab.getByRole('option', { name: /Kim/ }).waitFor()
      const [leader] = streams
      await leader?.close()
      await leaveWords(fixture, ['Lea'])
      for (const tab of tabs.filter((one) => one !== leader)) await tab.getByRole('option', { name: /Lea/ }).waitFor()
      equal(streams.length, 2)
      fixture.forgive(PLAIN_HOST)
    },
  },
  {
    name: 'tabs: over plain http, one that stands still is replaced, and gives way when it goes on',
    run: async (fixture) => {
      const { context } = fixture
      const streams: Page[] = []
      context.on('request', (request) => void (request.url().includes('/submissions/stream/') && streams.push(request.frame().page())))
      const [, ...tabs] = await openPlain(fixture, 3)
      const [first] = streams
      const other = tabs.find((tab) => tab !== first)
      if (!first || !other) throw new Error('Nobody has the stream')
      const debug = await context.newCDPSession(first)
      await debug.send('Debugger.enable')
      await debug.send('Debugger.pause')
      // The next beat of its timer stops it.
      await new Promise((resolve) => debug.once('Debugger.paused', resolve))
      await leaveWords(fixture, ['Mia'])
      await other.getByRole('option', { name: /Mia/ }).waitFor()
      equal(streams.length, 2)
      await debug.send('Debugger.resume')
      await debug.detach()
      await first.getByRole('option', { name: /Mia/ }).waitFor()
      await leaveWords(fixture, ['Nia'])
      for (const tab of [first, other]) await tab.getByRole('option', { name: /Nia/ }).waitFor()
      equal(streams.length, 2, 'the tab that stood still leaves the stream to the other')
      fixture.forgive(PLAIN_HOST)
    },
  },
]

/** Opens the inbox in several tabs, under a name that browsers do not trust. */
async function openPlain({ context, url, team, project }: Fixture, count: number): Promise<Page[]> {
  const { port } = new URL(url)
  for (const { name, value } of await context.cookies()) await context.addCookies([{ name, value, domain: PLAIN_HOST, path: '/' }])
  const tabs: Page[] = []
  for (let index = 0; index < count; index += 1) {
    const tab = await context.newPage()
    tabs.push(tab)
    await tab.goto(`http://${PLAIN_HOST}:${port}/app/${team.slug}/${project.slug}/inbox`)
    await tab.getByText('Live', { exact: true }).waitFor()
  }
  return tabs
}
