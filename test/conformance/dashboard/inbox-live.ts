import { equal } from 'node:assert/strict'
import { expect } from 'vitest'
import { recording } from '../../support/videos.ts'
import type { Fixture, Flow } from './fixture.ts'
import { leaveWords } from './inbox.ts'

/** What others do appears in each list, and nothing moves under somebody who reads. */
export const inboxLiveFlows: readonly Flow[] = [
  {
    name: 'live: the tab of approved ones, and a list of a tag, follow by themselves',
    run: async (fixture) => {
      const { page, open, client, check } = fixture
      const [first, second] = await leaveWords(fixture, ['Ada', 'Ben'])
      await open('inbox?state=approved')
      await isLive(page)
      await client.submissions.approve(refOf(fixture, first?.id))
      await page.getByRole('option', { name: /Ada/ }).waitFor()
      await page.getByRole('link', { name: 'Approved 1' }).waitFor()
      await client.submissions.reject({ ...refOf(fixture, first?.id), expected_state: 'approved' })
      await page.getByRole('option', { name: /Ada/ }).waitFor({ state: 'detached' })
      await open('inbox?tag=press')
      await isLive(page)
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
      await client.submissions.update({ ...refOf(fixture, second?.id), tags: ['press'] })
      await page.getByRole('option', { name: /Ben/ }).waitFor()
      await client.submissions.update({ ...refOf(fixture, second?.id), tags: [] })
      await page.getByRole('option', { name: /Ben.*Tag removed/ }).waitFor()
      await check('a row that has lost its tag')
    },
  },
  {
    name: 'live: a search says that its results have changed, and shows them when asked',
    run: async (fixture) => {
      const { page, open, check } = fixture
      await leaveWords(fixture, ['Ada'])
      await open('inbox?q=ADA')
      await isLive(page)
      await page.getByRole('option', { name: /Ada/ }).waitFor()
      await leaveWords(fixture, ['Zoe'])
      await page.getByRole('link', { name: 'Pending 2' }).waitFor()
      equal(await page.getByText('The results have changed.').count(), 0, 'words that the search does not find change nothing')
      await leaveWords(fixture, ['Ádam'])
      await page.getByText('The results have changed.').waitFor()
      await check('a search that has changed')
      equal(await page.getByRole('option').count(), 1, 'the list stays until the person asks')
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('option', { name: /Ádam/ }).waitFor()
      equal(await page.getByText('The results have changed.').count(), 0)
    },
  },
  {
    name: 'live: arrivals do not move the rows under somebody who scrolls',
    run: async (fixture) => {
      const { page, open } = fixture
      await leaveWords(fixture, people(40))
      await open('inbox')
      await isLive(page)
      await page.getByRole('option', { name: /Person 39\./ }).waitFor()
      await page.evaluate("document.querySelector('.rows').scrollTo(0, 1500)")
      const row = page.getByRole('option', { name: /Person 24\./ })
      await row.waitFor()
      await page.waitForTimeout(300)
      const before = await row.boundingBox()
      await leaveWords(fixture, ['Mallory', 'Mia'])
      await page.getByRole('link', { name: 'Pending 42' }).waitFor()
      await page.locator('[role="option"][aria-setsize="42"]').first().waitFor()
      expect(Math.abs(((await row.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2)
      await page.evaluate("document.querySelector('.rows').scrollTo(0, 0)")
      await page.getByRole('option', { name: /Mia/ }).waitFor()
    },
  },
  {
    name: 'live: what arrives in a long list is shown, also when it could not be read at first',
    run: async (fixture) => {
      const { page, open, expectRefusal } = fixture
      await leaveWords(fixture, people(60))
      await open('inbox')
      await isLive(page)
      // The document brings the first rows, and the others are loaded.
      await page.locator('[role="option"][aria-setsize="60"]').first().waitFor()
      await page.route(/\/submissions\/[0-9a-f-]{36}\/$/, (route) => route.fulfill({ status: 500, json: {} }))
      // The list can have Mallory before, by what it reads once it is live.
      const refused = page.waitForEvent('console', (message) => message.text().includes('status of 500'))
      await leaveWords(fixture, ['Mallory'])
      await page.getByRole('option', { name: /Mallory/ }).waitFor()
      await page.locator('[role="option"][aria-setsize="61"]').first().waitFor()
      await refused
      expectRefusal(500)
    },
  },
  {
    name: 'live: a next page that fails is asked for again only by the person',
    run: async (fixture) => {
      const { page, open, check, expectRefusal } = fixture
      await leaveWords(fixture, people(60))
      let asked = 0
      const next = /\/submissions\/\?.*cursor=/
      await page.route(next, (route) => {
        asked += 1
        return route.fulfill({ status: 500, json: {} })
      })
      await open('inbox')
      await page.getByText('Could not load more.').waitFor()
      await isLive(page)
      await leaveWords(fixture, ['Mallory'])
      await page.getByRole('option', { name: /Mallory/ }).waitFor()
      await check('a next page that failed')
      equal(asked, 1)
      expectRefusal(500)
      await page.unroute(next)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('[role="option"][aria-setsize="61"]').first().waitFor()
      equal(await page.getByText('Could not load more.').count(), 0)
    },
  },
  {
    name: 'live: what was decided between the document and the stream is gone',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const [ada] = await leaveWords(fixture, ['Ada', 'Ben'])
      const decided = Promise.withResolvers<void>()
      await page.route('**/submissions/stream/**', async (route) => {
        await decided.promise
        await route.continue()
      })
      await open('inbox')
      await page.getByRole('option', { name: /Ada/ }).waitFor()
      await client.submissions.reject(refOf(fixture, ada?.id))
      // By then the service has told it to those who listened.
      await page.waitForTimeout(3_000)
      decided.resolve()
      await page.getByRole('option', { name: /Ada/ }).waitFor({ state: 'detached' })
      equal(await page.getByRole('option', { name: /Ben/ }).count(), 1)
    },
  },
  {
    name: 'live: testimonials and videos say what is new, and show it when asked',
    run: async (fixture) => {
      const { page, open, client, check, team, project } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      const add = (name: string) => client.testimonials.create({ ...ref, body: `Words of ${name}`, author: { name } })
      const ada = await add('Ada')
      await open('testimonials')
      await page.getByRole('link', { name: 'Ada' }).waitFor()
      await add('Ben')
      await page.getByText('1 new').waitFor()
      await add('Cleo')
      await page.getByText('2 new').waitFor()
      await check('new testimonials')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('link', { name: 'Cleo' }).waitFor()
      equal(await page.getByText('2 new').count(), 0)
      await client.submissions.reject({ ...ref, submission_id: ada.id })
      const row = page.getByRole('listitem').filter({ hasText: 'Ada' })
      await row.getByText('Rejected').waitFor()
      await client.testimonials.update({ ...ref, testimonial_id: ada.id, featured: true })
      await row.getByRole('button', { name: 'Feature the words of Ada', pressed: true }).waitFor()
      await client.submissions.delete({ ...ref, submission_id: ada.id })
      await page.getByRole('link', { name: 'Ada' }).waitFor({ state: 'detached' })
      await open('videos')
      await page.getByRole('heading', { name: 'No videos yet' }).waitFor()
      const draft = { author: { name: 'Dora' }, body: '', consent: { granted: true } }
      const video = await client.videos.upload({ ...ref, draft }, new Blob([await recording()], { type: 'video/webm' }))
      await client.videos.draft.submit({ ...ref, video_id: video.id })
      await page.getByText('1 new').waitFor()
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('link', { name: 'Dora' }).waitFor()
    },
  },
]

type Page = Fixture['page']

function people(length: number): string[] {
  return Array.from({ length }, (_, index) => `Person ${index}.`)
}

/** On a phone the sign is behind what is read. */
function isLive(page: Page): Promise<void> {
  return page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
}

function refOf({ team, project }: Fixture, submission_id = '') {
  return { team_id: team.id, project_id: project.id, submission_id }
}
