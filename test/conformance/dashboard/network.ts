import { equal, match } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { Fixture, Flow } from './fixture.ts'
import { leaveWords, stateOf } from './inbox.ts'

const DAY_MS = 86_400_000
/** A list whose answers the flows take away. */
const SURVEYS = '**/api/v1/teams/*/projects/*/surveys/*'
/** Whose browsers read, by the name of who wrote. */
const ZONES = { Ada: 'Pacific/Kiritimati', Ben: 'America/St_Johns', Cleo: 'Asia/Kathmandu' }
/** Of teams: more than a day apart, so one of them has another date than any browser. */
const FAR_ZONES = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']

/** Connections that fail, and computers whose clocks are off. */
export const networkFlows: readonly Flow[] = [
  {
    name: 'what a service, or a proxy before it, refuses for a while is said in words and tried again',
    run: async (fixture) => {
      const { page, open, check, forgive } = fixture
      const answers = [
        { status: 503, contentType: 'text/html', body: '<!doctype html><script>window.isBreached = true</script>Bad gateway' },
        { status: 429, headers: { 'retry-after': '3600' }, json: { code: 'rate_limited', detail: 'Too many requests.', errors: [] } },
      ]
      const words = ['The service did not answer.', 'Try again in 3600 seconds.']
      for (const [index, answer] of answers.entries()) {
        await page.route(SURVEYS, (route) => route.fulfill(answer))
        await open('surveys')
        await page
          .getByRole('alert')
          .getByText(words[index] ?? '')
          .waitFor()
        await check(`an answer with ${answer.status}`)
        await page.unroute(SURVEYS)
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.getByRole('heading', { name: 'No survey yet' }).waitFor()
      }
      forgive('status of 503')
      forgive('status of 429')
    },
  },
  {
    name: 'without a connection pages say so, and a decision is sent when it is back',
    run: async (fixture) => {
      const { page, open, check, context, size, forgive } = fixture
      const [only] = await leaveWords(fixture, ['Ada'])
      await open(`inbox?item=${only?.id}`)
      await page.getByRole('button', { name: 'Approve' }).waitFor()
      await context.setOffline(true)
      await page.getByText('You are offline. What you typed stays here.').waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('One decision is not sent yet.').first().waitFor({ state: 'attached' })
      await check('offline')
      if (size === 'laptop') equal(await page.evaluate<boolean>('document.documentElement.scrollHeight > innerHeight'), false)
      await context.setOffline(false)
      await page.getByText('You are offline.').waitFor({ state: 'detached' })
      await until('the decision arrives', async () => (await stateOf(fixture, only?.id ?? '')) === 'approved', 40_000)
      forgive('net::')
    },
  },
  {
    name: 'a page that takes long says so',
    run: async ({ page, open }) => {
      await page.route(SURVEYS, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 9_000))
        await route.continue()
      })
      await open('surveys')
      await page.getByText('This takes longer than usual…').waitFor()
      await page.getByRole('heading', { name: 'No survey yet' }).waitFor()
    },
  },
  ...[-3, 3].map((days) => ({
    name: `a clock that is ${Math.abs(days)} days ${days < 0 ? 'slow' : 'fast'}: ages and days are those of the service`,
    run: async (fixture: Fixture) => {
      const { page, open } = fixture
      const [only] = await leaveWords(fixture, ['Ada'])
      await page.clock.setFixedTime(Date.now() + days * DAY_MS)
      await open('inbox')
      const age = page.getByRole('option', { name: /Ada/ }).locator('time')
      await age.waitFor()
      equal(/^(now|1m|2m)$/.test((await age.textContent()) ?? ''), true, `it says ${await age.textContent()}`)
      await open(`inbox?item=${only?.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await until('the decision arrives', async () => (await stateOf(fixture, only?.id ?? '')) === 'approved')
      await open('analytics')
      await isLastDay(page, 'UTC')
    },
  })),
  {
    name: 'days are those of the team, wherever somebody reads',
    run: async (fixture) => {
      const { page: own, client, team, project, url } = fixture
      const browser = own.context().browser()
      for (const [name, timezoneId] of Object.entries(ZONES)) {
        const zone = FAR_ZONES.find((far) => dayIn(far) !== dayIn(timezoneId)) ?? ''
        await client.teams.update({ team_id: team.id, settings: { timezone: zone } })
        await leaveWords(fixture, [name])
        const context = await browser?.newContext({
          timezoneId,
          viewport: own.viewportSize(),
          storageState: await own.context().storageState(),
        })
        const page = await context?.newPage()
        if (!page) throw new Error('No browser')
        await page.goto(`${url}/app/${team.slug}/${project.slug}/inbox`)
        await page
          .getByRole('option', { name: new RegExp(name) })
          .locator('time')
          .getByText(/^(now|\d+m)$/)
          .waitFor()
        await page.goto(`${url}/app/${team.slug}/${project.slug}/analytics?range=7d`)
        await isLastDay(page, zone)
        await context?.close()
      }
    },
  },
]

/** Looks whether the chart ends with today in that time zone, with what was left just now. */
async function isLastDay(page: Page, timeZone: string): Promise<void> {
  const slider = page.getByRole('slider', { name: 'Submissions a day: period' })
  match((await slider.getAttribute('aria-valuetext')) ?? '', new RegExp(`^${dayIn(timeZone)}: [1-9]`))
}

/** "Nov 3" */
function dayIn(timeZone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone, month: 'short', day: 'numeric' }).format()
}
