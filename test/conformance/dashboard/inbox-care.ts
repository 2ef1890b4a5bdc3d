import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import { type Flow, SETTLED } from './fixture.ts'
import { leaveWords, stateOf } from './inbox.ts'

/** Longer than a decision is held. */
const AFTER_HOLD_MS = 12_000

/** The controls and the keys below the list that a message lies over, by their texts. */
const COVERED = `[...document.querySelectorAll('.inbox :is(button, a, input, footer)')].flatMap((control) => {
  if (!control.checkVisibility({ visibilityProperty: true })) return []
  const { left, right, top, bottom } = control.getBoundingClientRect()
  const isUnder = [...document.querySelectorAll('.toast')].some((toast) => {
    const box = toast.getBoundingClientRect()
    return left < box.right && right > box.left && top < box.bottom && bottom > box.top
  })
  return isUnder ? [control.textContent || control.ariaLabel || control.outerHTML] : []
})`

/** What must never happen to a decision. */
export const inboxCareFlows: readonly Flow[] = [
  {
    name: 'an arrival does not take the place of what is read',
    run: async (fixture) => {
      const { page, open, size } = fixture
      const [ada] = await leaveWords(fixture, ['Ada'])
      await open('inbox')
      await page.getByText('Live', { exact: true }).waitFor()
      if (size === 'phone') await page.getByRole('option', { name: /Ada/ }).click()
      const reading = page.getByRole('region', { name: 'Submission', exact: true })
      await reading.getByText('Words of Ada').waitFor()
      const [mallory] = await leaveWords(fixture, ['Mallory'])
      // On a phone the list is behind what is read.
      await page.locator('[role="option"]', { hasText: 'Mallory' }).waitFor({ state: 'attached' })
      expect(await reading.getByText('Words of Ada').count()).toBe(1)
      await page.keyboard.press('a')
      await page.getByText('Approved Ada’s words').waitFor()
      await until('the approval arrives', async () => (await stateOf(fixture, ada?.id ?? '')) === 'approved')
      expect(await stateOf(fixture, mallory?.id ?? '')).toBe('pending')
    },
  },
  {
    name: 'many decisions in two projects are sent when the page is left',
    run: async (fixture) => {
      const { page, open, client, team } = fixture
      const names = Array.from({ length: 110 }, (_, index) => `Person ${index}`)
      const many = await leaveWords(fixture, names)
      const other = await client.projects.create({ team_id: team.id, name: 'Shop' })
      const [one] = await leaveWords({ ...fixture, project: other }, ['Zoe'])
      await open('inbox')
      await page.getByRole('option', { name: /Person 109/ }).waitFor()
      // Two pages are loaded, then all of them are selected.
      await page.evaluate("document.querySelector('.rows').scrollTo(0, 1e6)")
      await page.locator('[role="option"][aria-setsize="110"]').first().waitFor()
      await page
        .getByRole('option')
        .first()
        .click({ modifiers: ['Control'] })
      await page.getByRole('button', { name: 'Select all 110 shown' }).click()
      await page.keyboard.press('r')
      await page.getByRole('textbox', { name: 'Reason' }).fill('ü'.repeat(400))
      await page.keyboard.press('Enter')
      await page.getByText('Rejected 110 submissions').waitFor()
      await page.evaluate(
        `history.pushState(null, '', '/app/${team.slug}/${other.slug}/inbox'); dispatchEvent(new PopStateEvent('popstate'))`,
      )
      await page.getByRole('option', { name: /Zoe/ }).click()
      await page.keyboard.press('a')
      await page.getByText('Approved Zoe’s words').waitFor()
      await page.goto('about:blank')
      const rejected = () => client.submissions.counts({ team_id: team.id, project_id: fixture.project.id })
      await until('all rejections arrive', async () => (await rejected()).rejected === many.length)
      await until('the approval arrives', async () => (await stateOf({ ...fixture, project: other }, one?.id ?? '')) === 'approved')
    },
  },
  {
    name: 'a decision that comes too late changes nothing, and says who was faster',
    run: async (fixture) => {
      const { page, open, client, team, project, complaints } = fixture
      const [only] = await leaveWords(fixture, ['Pia'])
      // Without the stream, the page learns of it by the answer to its decision alone.
      await page.route('**/submissions/stream/**', (route) => route.abort())
      await open(`inbox?item=${only?.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved Pia’s words').waitFor()
      await client.submissions.reject({ team_id: team.id, project_id: project.id, submission_id: only?.id ?? '' })
      await page.getByText('Grace Hopper rejected Pia’s words before you.').waitFor()
      expect(await stateOf(fixture, only?.id ?? '')).toBe('rejected')
      expect(complaints.every((complaint) => complaint.includes('net::ERR_FAILED'))).toBe(true)
      fixture.forgive('net::ERR_FAILED')
    },
  },
  {
    name: 'undo takes back what it stands beside, and one press is one decision',
    run: async (fixture) => {
      const { page, open, size } = fixture
      const [ada, ben, cleo] = await leaveWords(fixture, ['Ada', 'Ben', 'Cleo'])
      await open('inbox')
      await page.getByRole('option', { name: /Cleo/ }).waitFor()
      if (size === 'phone') await page.getByRole('option', { name: /Cleo/ }).click()
      await page.getByRole('region', { name: 'Submission', exact: true }).getByText('Words of Cleo').waitFor()
      await page.keyboard.down('a')
      await page.keyboard.down('a')
      await page.keyboard.up('a')
      await page.getByText('Approved Cleo’s words').waitFor()
      expect(await page.getByText('Approved Ben’s words').count()).toBe(0)
      await page.keyboard.press('a')
      await page.getByText('Approved Ben’s words').waitFor()
      const beside = page.locator('.toast').filter({ hasText: 'Cleo’s words' })
      await beside.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone').waitFor()
      await delay(AFTER_HOLD_MS)
      const states = [ada, ben, cleo].map((one) => stateOf(fixture, one?.id ?? ''))
      expect(await Promise.all(states)).toEqual(['pending', 'approved', 'pending'])
    },
  },
  {
    name: 'messages cover neither the list nor a control, and the figures follow at once',
    run: async (fixture) => {
      const { page, open, size } = fixture
      await leaveWords(fixture, ['Ada', 'Ben', 'Cleo'])
      await open('inbox')
      const inbox = page.locator('.side').getByRole('link', { name: /^Inbox/, includeHidden: true })
      await page.getByRole('option', { name: /Cleo/ }).click()
      for (const name of ['Cleo', 'Ben']) {
        await page.getByRole('region', { name: 'Submission', exact: true }).getByText(`Words of ${name}`).waitFor()
        await page.keyboard.press('a')
        await page.getByText(`Approved ${name}’s words`).waitFor()
      }
      // A phone makes its navigation when it is opened.
      if (size === 'laptop') expect(await inbox.textContent()).toMatch(/^Inbox1 pending/)
      await page.getByRole('region', { name: 'Submission', exact: true }).getByText('Words of Ada').waitFor()
      await page.evaluate("document.querySelector('.read-body').scrollTo(0, 1e6)")
      await page.evaluate(SETTLED)
      const covered = await page.evaluate(COVERED)
      expect(covered).toEqual([])
      await page.keyboard.press('z')
      if (size === 'laptop') await until('the figure follows', async () => /^Inbox2 pending/.test((await inbox.textContent()) ?? ''))
      if (size === 'phone') await page.getByRole('button', { name: 'Back to the list' }).click()
      await page.getByRole('link', { name: 'Pending 2' }).waitFor()
      await page.getByRole('link', { name: 'Approved 1' }).waitFor()
    },
  },
  {
    name: 'somebody else who signs in neither sends nor sees what was typed',
    run: async (fixture) => {
      const { page, open, context, team, size, complaints, expectRefusal } = fixture
      const [only] = await leaveWords(fixture, ['Olga'])
      const { page: other } = await fixture.colleague('admin')
      await open('settings')
      await page.getByRole('textbox', { name: 'Thank you' }).fill('A secret of Grace')
      await open(`inbox?item=${only?.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved Olga’s words').waitFor()
      await context.clearCookies()
      await context.addCookies(await other.context().cookies())
      // Their dashboard opens in another tab of the same browser.
      const tab = await context.newPage()
      await tab.goto(`${fixture.url}/app/${team.slug}/${fixture.project.slug}/inbox`)
      await until('the page is theirs', async () => {
        // A phone has the name in its menu, which a page that is loaded anew has closed.
        const menu = page.getByRole('button', { name: 'Menu', exact: true, expanded: false })
        if (size === 'phone' && (await menu.isVisible())) await menu.click()
        return (await page.getByText('Ada Admin').count()) > 0
      })
      await delay(AFTER_HOLD_MS)
      expect(await stateOf(fixture, only?.id ?? '')).toBe('pending')
      await open('settings')
      await page.getByRole('textbox', { name: 'Thank you' }).waitFor()
      expect(await page.getByText('A secret of Grace').count()).toBe(0)
      while (complaints.some((complaint) => complaint.includes('status of 401'))) expectRefusal(401)
    },
  },
]
