import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import type { Fixture, Flow } from './fixture.ts'

type Submission = Awaited<ReturnType<Fixture['client']['submissions']['create']>>

/** Leaves words as a program would. The last ones are first in the inbox. */
export async function leaveWords({ client, team, project }: Fixture, names: readonly string[]) {
  const made: Submission[] = []
  for (const name of names) {
    made.push(
      await client.submissions.create({
        ...{ team_id: team.id, project_id: project.id, body: `Words of ${name}`, rating: 5 },
        ...{ author: { name, company: 'Acme' }, consent: { granted: true } },
      }),
    )
  }
  return made
}

export const stateOf = async ({ client, team, project }: Fixture, submission_id: string) =>
  (await client.submissions.retrieve({ team_id: team.id, project_id: project.id, submission_id })).state

export const inboxFlows: readonly Flow[] = [
  {
    name: 'an empty inbox says what to do next',
    run: async ({ page, open, check }) => {
      await open('inbox')
      await page.getByRole('heading', { name: 'No words yet' }).waitFor()
      await check('empty inbox')
    },
  },
  {
    name: 'the queue is read and decided by keyboard alone',
    run: async (fixture) => {
      const { page, open, check, size } = fixture
      const [first, second, third] = await leaveWords(fixture, ['Ada', 'Ben', 'Cleo'])
      if (!first || !second || !third) throw new Error('Nothing was made')
      await open('inbox')
      await page.getByRole('option', { name: /Cleo/ }).waitFor()
      await check('a queue')
      if (size === 'phone') await page.keyboard.press('j')
      await page.getByRole('region', { name: 'Submission', exact: true }).getByText('Words of Cleo').waitFor()
      await check('a submission')
      await page.keyboard.press('a')
      await page.getByText('Approved Cleo’s words').waitFor()
      await page.getByRole('region', { name: 'Submission', exact: true }).getByText('Words of Ben').waitFor()
      await page.keyboard.press('r')
      await page.getByRole('dialog', { name: 'Reject Ben’s words' }).waitFor()
      await check('asking for a reason')
      await page.keyboard.type('Not a customer')
      await page.keyboard.press('Enter')
      await page.getByText('Rejected Ben’s words').waitFor()
      // Nothing is sent before it can be taken back no more.
      expect(await stateOf(fixture, second.id)).toBe('pending')
      await page.keyboard.press('z')
      await page.getByText('Undone').waitFor()
      await until('the approval arrives', async () => (await stateOf(fixture, third.id)) === 'approved')
      expect([await stateOf(fixture, first.id), await stateOf(fixture, second.id)]).toEqual(['pending', 'pending'])
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await check('shortcuts')
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'a decision is sent when the page is left',
    run: async (fixture) => {
      const { page, open } = fixture
      const [only] = await leaveWords(fixture, ['Dora'])
      if (!only) throw new Error('Nothing was made')
      await open(`inbox?item=${only.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved Dora’s words').waitFor()
      await page.goto('about:blank')
      await until('the decision arrives', async () => (await stateOf(fixture, only.id)) === 'approved', 3_000)
    },
  },
  {
    name: 'what a colleague decided is shown and never overwritten',
    run: async (fixture) => {
      const { page, open, client, team, project } = fixture
      const [only] = await leaveWords(fixture, ['Eve'])
      if (!only) throw new Error('Nothing was made')
      await open(`inbox?item=${only.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await client.submissions.reject({ team_id: team.id, project_id: project.id, submission_id: only.id, reason: 'A test' })
      await page.getByText('Grace Hopper rejected Eve’s words before you.').waitFor()
      expect(await stateOf(fixture, only.id)).toBe('rejected')
    },
  },
  {
    name: 'several are decided at once, and tagged, searched and filtered',
    run: async (fixture) => {
      const { page, open, check, size } = fixture
      const made = await leaveWords(fixture, ['Finn', 'Gina', 'Hugo', 'Ida'])
      await open('inbox')
      await page.getByRole('option', { name: /Ida/ }).click()
      await page.getByRole('combobox', { name: 'Add a tag' }).fill('pricing')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Remove the tag pricing' }).waitFor()
      if (size === 'phone') await page.getByRole('button', { name: 'Back to the list' }).click()
      await page.getByRole('searchbox', { name: 'Search words and people' }).fill('gina')
      await page.waitForURL(/q=gina/)
      await page.getByRole('option', { name: /Gina/ }).waitFor()
      await page.getByRole('option', { name: /Hugo/ }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Show the filters' }).click()
      await check('filters')
      await page.getByRole('button', { name: 'Clear' }).click()
      await page.getByRole('option', { name: /Hugo/ }).click({ modifiers: ['Control'] })
      await page.getByRole('option', { name: /Finn/ }).click({ modifiers: ['Shift'] })
      await page.getByText('3 selected').first().waitFor()
      await check('a selection')
      await page.keyboard.press('a')
      await page.getByText('Approved 3 submissions').waitFor()
      const three = made.filter(({ author }) => author.name !== 'Ida')
      await until('all three arrive', async () =>
        (await Promise.all(three.map(({ id }) => stateOf(fixture, id)))).every((state) => state === 'approved'),
      )
      await page.getByRole('link', { name: /^Approved/ }).click()
      await page.getByRole('option', { name: /Gina/ }).waitFor()
    },
  },
  {
    name: 'what others do appears by itself, in every tab by one stream',
    run: async (fixture) => {
      const { page, open, client, team, project, context } = fixture
      const streams: string[] = []
      context.on('request', (request) => void (request.url().includes('/submissions/stream/') && streams.push(request.url())))
      await open('inbox')
      await page.getByText('Live', { exact: true }).waitFor()
      const other = await context.newPage()
      await other.goto(page.url())
      await other.getByText('Live', { exact: true }).waitFor()
      expect(streams).toHaveLength(1)
      const [first] = await leaveWords(fixture, ['Kim', 'Lea'])
      if (!first) throw new Error('Nothing was made')
      for (const tab of [page, other]) {
        await tab.getByRole('option', { name: /Lea/ }).waitFor()
        await tab.getByRole('link', { name: 'Pending 2' }).waitFor()
      }
      await client.submissions.approve({ team_id: team.id, project_id: project.id, submission_id: first.id })
      for (const tab of [page, other]) await tab.getByRole('option', { name: /Kim/ }).waitFor({ state: 'detached' })
      // The tab that has the stream is closed: the other one takes it over.
      await page.close()
      await leaveWords(fixture, ['Mia'])
      await other.getByRole('option', { name: /Mia/ }).waitFor()
    },
  },
  {
    name: 'a session that ends is begun again, and nothing is lost',
    run: async (fixture) => {
      const { page, open, context, complaints, expectRefusal, check, url } = fixture
      const [only] = await leaveWords(fixture, ['Nora'])
      if (!only) throw new Error('Nothing was made')
      await open(`inbox?item=${only.id}`)
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('textbox', { name: 'Reason' }).fill('Somebody else’s words')
      const cookies = await context.cookies()
      await context.clearCookies()
      await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('dialog', { name: 'You are signed out' }).waitFor()
      await check('signed out')
      expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/accounts/sign-in/?next=%2Fapp%2F')
      await context.addCookies(cookies)
      await page.getByRole('button', { name: 'I have signed in' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await until('the decision arrives', async () => (await stateOf(fixture, only.id)) === 'rejected')
      expect(page.url()).toContain(`${url}/app/`)
      while (complaints.some((complaint) => complaint.includes('status of 401'))) expectRefusal(401)
    },
  },
  {
    name: 'a viewer reads and cannot decide',
    run: async (fixture) => {
      await leaveWords(fixture, ['Jan'])
      const { page } = await fixture.colleague('viewer')
      await page.goto(`${fixture.url}/app/`)
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByRole('option', { name: /Jan/ }).click()
      await page.getByRole('region', { name: 'Submission', exact: true }).getByText('Words of Jan').waitFor()
      expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    },
  },
]
