import { expect } from 'vitest'
import type { Flow } from './fixture.ts'

const BODY = 'My password is hunter2.'

export const eventFlows: readonly Flow[] = [
  {
    name: 'an event appears live and is expunged',
    run: async ({ page, open, check, client, team, project }) => {
      await open('-/events')
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByText('No event yet').waitFor()
      await client.submissions.create({
        ...{ team_id: team.id, project_id: project.id, kind: 'text', body: BODY, author: { name: 'Ada Lovelace' } },
      })
      const row = page.getByRole('link', { name: /submission\.created/ })
      await row.click()
      const panel = page.getByRole('region', { name: 'Event', exact: true })
      await panel.getByText(BODY).waitFor()
      await check('an event')
      await panel.getByRole('button', { name: 'Expunge the event' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Expunge the event' }).click()
      await page.getByText('No event yet').waitFor()
      if ((await client.events.list({ team_id: team.id })).results.length > 0) throw new Error('It is still in the feed')

      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByText('Paused', { exact: true }).waitFor()
      await client.submissions.create({
        ...{ team_id: team.id, project_id: project.id, kind: 'text', body: 'While it was paused.', author: { name: 'Ada Lovelace' } },
      })
      await page.getByRole('button', { name: 'Resume' }).click()
      await row.waitFor()
      if ((await row.count()) !== 1) throw new Error('An event is shown twice')
      await page.getByRole('link', { name: 'Types' }).click()
      await page.getByText('A person approved a submission.', { exact: false }).first().click()
      await page.getByRole('figure', { name: 'Example of submission.approved' }).waitFor()
      await check('the types of events')
    },
  },
  {
    name: 'the feed of events starts with the newest, in small pages, and goes back',
    run: async ({ page, open, check, client, team, project }) => {
      const author = { name: 'Ada Lovelace' }
      const ref = { team_id: team.id, project_id: project.id }
      for (let count = 0; count < 30; count += 1) await client.submissions.create({ ...ref, kind: 'text', body: `Number ${count}`, author })
      const read = async () => (await client.events.list({ team_id: team.id, limit: 100 })).results
      for (let tries = 0; tries < 50 && (await read()).length < 30; tries += 1) await page.waitForTimeout(100)
      const [oldest] = await read()
      const asked: string[] = []
      page.on('request', (request) => request.url().includes(`/${team.id}/events/`) && asked.push(new URL(request.url()).pathname))
      await open('-/events?type=submission.created')
      const rows = page.getByRole('link', { name: /submission\.created/ })
      await page.getByText('Live', { exact: true }).waitFor()
      expect(await rows.count()).toBe(25)
      expect(asked.filter((path) => !path.endsWith('/stream/'))).toEqual([`/api/v1/teams/${team.id}/events/`])
      await rows.first().focus()
      await page.keyboard.press('Enter')
      const panel = page.getByRole('region', { name: 'Event', exact: true })
      await panel.getByText('Number 29').waitFor()
      await page.keyboard.press('Escape')
      const more = page.getByRole('button', { name: 'Show more' })
      await more.click()
      await more.waitFor({ state: 'detached' })
      expect(await rows.count()).toBe(30)
      await check('all events')
      // An address finds an event that is not on the first page.
      await open(`-/events?item=${oldest?.id}`)
      await panel.getByText('Number 0', { exact: false }).first().waitFor()
      await page.keyboard.press('Escape')
      await client.submissions.create({ ...ref, kind: 'text', body: 'While it is open', author })
      await page.getByRole('listitem').filter({ hasText: 'submission.created' }).nth(30).waitFor()
    },
  },
  {
    name: 'the audit log says who changed what',
    run: async ({ page, open, check, client, team, project, setPlan }) => {
      await setPlan('pro')
      await open('-/audit-log')
      await page.getByText('The pro plan has no audit log').waitFor()
      await check('a plan without an audit log')
      await setPlan('business')
      await client.projects.update({ team_id: team.id, project_id: project.id, name: 'Shop' })
      await open('-/audit-log')
      const entry = page.getByRole('article').filter({ hasText: 'Project updated' })
      await entry.getByText('Grace Hopper').waitFor()
      await entry.getByText('access token').waitFor()
      await entry.getByText('Website', { exact: true }).waitFor()
      await check('the audit log')
      const time = page.getByLabel('Time', { exact: true })
      await time.selectOption('Last 7 days')
      await page.waitForURL(/after=\d{4}-\d{2}-\d{2}T00(:|%3A)00/)
      await entry.getByText('Grace Hopper').waitFor()
      await page.getByLabel('From', { exact: true }).fill('2020-01-01T10:00')
      await page.getByLabel('To', { exact: true }).fill('2020-01-02T10:00')
      await page.getByText('No entry matches').waitFor()
      expect(await time.locator('option:checked').textContent()).toBe('From … to …')
      await time.selectOption('Any time')
      await entry.getByText('Grace Hopper').waitFor()
      const author = { name: 'Ada Lovelace' }
      const { id } = await client.submissions.create({ team_id: team.id, project_id: project.id, body: 'Good.', author })
      await open('-/audit-log')
      const added = page.getByRole('article').filter({ hasText: 'Submission created: Ada Lovelace in Shop' })
      await added.waitFor()
      expect(await added.getByText(id).isVisible()).toBe(false)
      await added.getByText('Id', { exact: true }).click()
      expect(await added.getByText(id).isVisible()).toBe(true)
      await check('the id of what was changed')
      await page.getByRole('combobox', { name: 'Action' }).selectOption('Project created')
      await page.waitForURL(/action=project\.created/)
      await page.getByRole('article').getByText('Project created').waitFor()
      await entry.waitFor({ state: 'detached' })
    },
  },
]
