import { expect } from 'vitest'
import type { Fixture, Flow } from './fixture.ts'

const LABEL = 'Search and commands'

/** Opens the palette by its keys and types. Returns the entry that Enter would choose. */
async function ask({ page }: Fixture, words: string) {
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: LABEL })
  await field.waitFor()
  await page.keyboard.type(words)
  return page.getByRole('option', { selected: true })
}

export const paletteFlows: readonly Flow[] = [
  {
    name: 'the command palette goes anywhere by keyboard alone',
    run: async (fixture) => {
      const { page, open, check, client, team, project, url } = fixture
      const other = await client.projects.create({ team_id: team.id, name: 'Éclair shop' })
      await open('settings')
      await page.getByRole('heading', { level: 1, name: 'Project settings' }).waitFor()
      const first = await ask(fixture, '')
      expect(await page.getByRole('option', { name: 'Inbox' }).count()).toBe(1)
      await check('the palette before something is typed')
      // The keys go round, and what is chosen is always in sight.
      await page.keyboard.press('ArrowUp')
      await page.getByRole('option', { selected: true, name: 'Éclair shop' }).waitFor()
      await page.keyboard.press('ArrowDown')
      expect(await first.textContent()).toContain('Inbox')
      await page.keyboard.type('audit')
      await page.getByRole('option', { selected: true, name: 'Audit log' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`${url}/app/${team.slug}/-/audit-log`)
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
      // A page of another project, whatever the accents.
      await ask(fixture, 'widgets eclair')
      await page.getByRole('option', { selected: true, name: 'Widgets Éclair shop' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`${url}/app/${team.slug}/${other.slug}/widgets`)
      await page.getByRole('heading', { level: 1, name: 'Widgets' }).waitFor()
      await ask(fixture, '')
      const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option')
      expect(await recent.allTextContents()).toEqual([expect.stringContaining('Widgets'), expect.stringContaining('Audit log')])
      await page.keyboard.type(project.name)
      await page.getByRole('group', { name: 'Switch to' }).getByRole('option', { name: project.name }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('combobox', { name: LABEL }).waitFor({ state: 'detached' })
      expect(page.url()).toBe(`${url}/app/${team.slug}/${other.slug}/widgets`)
    },
  },
  {
    name: 'the command palette finds words of customers and starts what is new',
    run: async (fixture) => {
      const { page, open, check, client, team, project } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      const made = await client.submissions.create({
        ...ref,
        ...{ kind: 'text', body: 'Marzipan in every box', author: { name: 'Zoë Quill' }, consent: { granted: true } },
      })
      await client.submissions.approve({ ...ref, submission_id: made.id })
      await open('analytics')
      await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
      await ask(fixture, 'marzip')
      await page.getByRole('option', { selected: true, name: /^Zoë Quill/ }).waitFor()
      await check('a submission that was found')
      // What an earlier search has found is not opened.
      await page.keyboard.type('zz')
      await page.keyboard.press('Enter')
      await page.getByText('Nothing matches “marzipzz”.').waitFor()
      for (const key of ['Backspace', 'Backspace']) await page.keyboard.press(key)
      await page.getByRole('option', { selected: true, name: /^Zoë Quill/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`/inbox\\?.*item=.*${made.id}`))
      await page.getByText('Marzipan in every box').last().waitFor()
      await ask(fixture, 'no such page zzz')
      await page.getByText('Nothing matches “no such page zzz”.').waitFor()
      await check('nothing matches')
      await page.keyboard.press('Escape')
      await ask(fixture, 'new surv')
      await page.getByRole('option', { selected: true, name: 'New survey' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'New survey' }).waitFor()
      // A dialog that asks something is answered first.
      await page.keyboard.press('Control+k')
      expect(await page.getByRole('combobox', { name: LABEL }).count()).toBe(0)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'New survey' }).waitFor({ state: 'detached' })
      await ask(fixture, 'keyboard')
      await page.getByRole('option', { selected: true, name: 'Keyboard shortcuts' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await check('the list of keys')
    },
  },
  {
    name: 'the command palette finds surveys, widgets, endpoints, members and tags by their names',
    run: async (fixture) => {
      const { page, open, check, client, colleague, team, project } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      const survey = await client.surveys.create({ ...ref, name: 'Zebra pulse' })
      const widget = await client.widgets.create({ ...ref, name: 'Zebra wall', layout: 'wall' })
      const webhook = await client.webhooks.create({
        team_id: team.id,
        url: 'https://example.com/hooks',
        description: 'Zebra hook',
        events: ['*'],
      })
      await client.submissions.create({ ...ref, kind: 'text', body: 'Quick', author: { name: 'Ada' }, tags: ['zebra-fan'] })
      await open('analytics')
      await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
      // All but the one widget that the first steps in the sidebar ask for, at a time of their own.
      const asked: string[] = []
      const isAsked = /\/(surveys|widgets|webhooks|members|tags)\/\?(?!(.*&)?limit=1(&|$))/
      page.on('request', (request) => isAsked.test(request.url()) && asked.push(request.url()))
      await ask(fixture, '')
      expect(asked).toEqual([])
      await page.keyboard.type('zebra')
      const found = (group: string, name: RegExp) => page.getByRole('group', { name: group }).getByRole('option', { name })
      await found('Surveys', /Zebra pulse/).waitFor()
      await found('Widgets', /Zebra wall/).waitFor()
      await found('Webhook endpoints', /Zebra hook/).waitFor()
      await found('Tags', /zebra-fan 1 submission/).waitFor()
      await check('names that were found')
      await found('Webhook endpoints', /Zebra hook/).click()
      await page.waitForURL(new RegExp(`/webhooks/${webhook.id}`))
      await ask(fixture, 'zebra wall')
      await page.getByRole('option', { selected: true, name: /Zebra wall/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`/widgets/${widget.id}`))
      await ask(fixture, 'zebra puls')
      await page.getByRole('option', { selected: true, name: /Zebra pulse/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`/surveys/${survey.id}/edit`))
      await ask(fixture, 'zebra fan')
      await page.getByRole('option', { selected: true, name: /zebra-fan/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(/inbox\?.*tag=zebra-fan/)
      await ask(fixture, 'grace hop')
      await found('Members', /Grace Hopper owner/).waitFor()
      // One request for each list, and none for names that are known.
      expect(asked.filter((address) => address.includes('limit=100')).length).toBe(5)
      const { page: theirs } = await colleague('viewer')
      const refused: string[] = []
      theirs.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
      await theirs.goto(new URL('analytics', page.url()).href)
      await theirs.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
      await ask({ ...fixture, page: theirs }, 'zebra')
      await theirs.getByRole('option', { name: /Zebra pulse/ }).waitFor()
      await theirs.getByRole('option', { name: /zebra-fan/ }).waitFor()
      expect(await theirs.getByRole('option', { name: /Zebra hook/ }).count()).toBe(0)
      expect(refused).toEqual([])
    },
  },
  {
    name: 'the command palette opens by its button, changes the colours, and shows viewers what they may do',
    run: async (fixture) => {
      const { page, open, colleague, size } = fixture
      await open('analytics')
      await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
      await page.getByRole('button', { name: size === 'phone' ? LABEL : 'Search', exact: true }).click()
      await page.getByRole('option', { name: 'Use dark colours' }).click()
      const scheme = 'getComputedStyle(document.documentElement).colorScheme'
      await page.waitForFunction(`${scheme} === 'dark'`)
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
      expect(await page.evaluate<string>(scheme)).toBe('dark')
      await page.goto(new URL('/accounts/profile/', page.url()).href)
      expect(await page.evaluate<string>(scheme)).toBe('dark')
      await page.goBack()
      const { page: theirs } = await colleague('viewer')
      await theirs.goto(page.url())
      await theirs.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
      await theirs.keyboard.press('Control+k')
      await theirs.getByRole('option', { name: 'Members' }).waitFor()
      expect(await theirs.getByRole('option', { name: 'New survey' }).count()).toBe(0)
      expect(await theirs.getByRole('option', { name: 'Audit log' }).count()).toBe(0)
    },
  },
]
