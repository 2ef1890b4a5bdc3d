import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import { leaveWords, stateOf } from './inbox.ts'
import type { Flow } from './stage.ts'

/** Longer than a decision is held. */
const AFTER_HOLD_MS = 12_000

/** What must never happen to a decision. */
export const inboxCareFlows: readonly Flow[] = [
  {
    name: 'an arrival does not take the place of what is read',
    run: async (stage) => {
      const { page, open, size } = stage
      const [ada] = await leaveWords(stage, ['Ada'])
      await open('inbox')
      await page.getByText('Live', { exact: true }).waitFor()
      if (size === 'phone') await page.getByRole('option', { name: /Ada/ }).click()
      const reading = page.getByRole('region', { name: 'Submission', exact: true })
      await reading.getByText('Words of Ada').waitFor()
      const [mallory] = await leaveWords(stage, ['Mallory'])
      // On a phone the list is behind what is read.
      await page.locator('[role="option"]', { hasText: 'Mallory' }).waitFor({ state: 'attached' })
      expect(await reading.getByText('Words of Ada').count()).toBe(1)
      await page.keyboard.press('a')
      await page.getByText('Approved Ada’s words').waitFor()
      await until('the approval arrives', async () => (await stateOf(stage, ada?.id ?? '')) === 'approved')
      expect(await stateOf(stage, mallory?.id ?? '')).toBe('pending')
    },
  },
  {
    name: 'many decisions in two projects are sent when the page is left',
    run: async (stage) => {
      const { page, open, client, team } = stage
      const names = Array.from({ length: 110 }, (_, index) => `Person ${index}`)
      const many = await leaveWords(stage, names)
      const other = await client.projects.create({ team_id: team.id, name: 'Shop' })
      const [one] = await leaveWords({ ...stage, project: other }, ['Zoe'])
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
      const rejected = () => client.submissions.counts({ team_id: team.id, project_id: stage.project.id })
      await until('all rejections arrive', async () => (await rejected()).rejected === many.length)
      await until('the approval arrives', async () => (await stateOf({ ...stage, project: other }, one?.id ?? '')) === 'approved')
    },
  },
  {
    name: 'undo takes back what it stands beside, and one press is one decision',
    run: async (stage) => {
      const { page, open, size } = stage
      const [ada, ben, cleo] = await leaveWords(stage, ['Ada', 'Ben', 'Cleo'])
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
      const states = [ada, ben, cleo].map((one) => stateOf(stage, one?.id ?? ''))
      expect(await Promise.all(states)).toEqual(['pending', 'approved', 'pending'])
    },
  },
  {
    name: 'somebody else who signs in neither sends nor sees what was typed',
    run: async (stage) => {
      const { page, open, context, team, complaints, expectRefusal } = stage
      const [only] = await leaveWords(stage, ['Olga'])
      const { page: other } = await stage.colleague('admin')
      await open('settings')
      await page.getByRole('textbox', { name: 'Thank you' }).fill('A secret of Grace')
      await open(`inbox?item=${only?.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved Olga’s words').waitFor()
      await context.clearCookies()
      await context.addCookies(await other.context().cookies())
      // Their dashboard opens in another tab of the same browser.
      const tab = await context.newPage()
      await tab.goto(`${stage.url}/app/${team.slug}/${stage.project.slug}/inbox`)
      await page.getByText('Ada Admin').first().waitFor({ state: 'attached' })
      await delay(AFTER_HOLD_MS)
      expect(await stateOf(stage, only?.id ?? '')).toBe('pending')
      await open('settings')
      await page.getByRole('textbox', { name: 'Thank you' }).waitFor()
      expect(await page.getByText('A secret of Grace').count()).toBe(0)
      while (complaints.some((complaint) => complaint.includes('status of 401'))) expectRefusal(401)
    },
  },
]
