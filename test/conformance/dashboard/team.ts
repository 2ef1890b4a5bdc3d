import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import type { Fixture, Flow } from './fixture.ts'

const refOf = ({ team, project }: Fixture) => ({ team_id: team.id, project_id: project.id })

/** On a phone the navigation is behind a button. */
async function openNavigation({ page, size }: Fixture): Promise<void> {
  if (size === 'phone') await page.getByRole('button', { name: 'Menu', exact: true }).click()
}

export const teamFlows: readonly Flow[] = [
  {
    name: 'a new project is led to its first approved feedback',
    run: async (fixture) => {
      const { page, open, check, client, team } = fixture
      await open('first-steps')
      await openNavigation(fixture)
      await page.getByRole('button', { name: /Website/ }).click()
      await page.getByRole('menuitem', { name: 'New project' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Shop')
      await check('a new project')
      await page.getByRole('button', { name: 'Create the project' }).click()
      await page.getByText('0 of 5 done').waitFor()
      await check('first steps, none done')
      const project = (await client.projects.list({ team_id: team.id })).results.find(({ name }) => name === 'Shop')
      if (!project) throw new Error('The project was not made')
      const ref = { team_id: team.id, project_id: project.id }
      await page.getByRole('button', { name: 'Create the public key' }).click()
      await page.getByRole('link', { name: 'Open the page' }).waitFor()
      const [key] = (await client.publicKeys.list(ref)).results
      expect(await page.getByRole('link', { name: 'Open the page' }).getAttribute('href')).toMatch(new RegExp(`/c/${key?.key}$`))
      await page.getByRole('button', { name: 'Add a sample' }).click()
      await page.getByText('2 of 5 done').waitFor()
      const [sample] = (await client.submissions.list(ref)).results
      expect(sample).toMatchObject({ state: 'pending', author: { name: 'Sample Person' }, consent: { granted: true } })
      // A colleague approves it, and makes a widget.
      await client.submissions.approve({ ...ref, submission_id: sample?.id ?? '' })
      await client.widgets.create({ ...ref, name: 'Wall', layout: 'wall' })
      await page.reload()
      await page.getByText('4 of 5 done').waitFor()
      await check('first steps, four done')
      await page.getByRole('link', { name: 'Choose the look' }).click()
      await page.getByRole('textbox', { name: 'Theme colour' }).fill('#0a7d55')
      await page.getByRole('button', { name: 'Save changes' }).last().click()
      await page.getByText('Saved.').waitFor()
      expect((await client.projects.retrieve(ref)).theme.color).toBe('#0a7d55')
      await page.goBack()
      await page.getByRole('heading', { name: 'You are ready for feedback' }).waitFor()
      await check('first steps, all done')
      await openNavigation(fixture)
      await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
      expect(await page.getByRole('link', { name: 'First steps' }).count()).toBe(0)
    },
  },
  {
    name: 'project settings keep what is typed and say what is wrong',
    run: async (fixture) => {
      const { page, open, check, client, expectRefusal } = fixture
      await open('settings')
      await page.getByRole('textbox', { name: 'Theme colour' }).fill('blue')
      await page.getByRole('textbox', { name: 'Consent' }).fill('You may print my words.')
      await page.reload()
      expect(await page.getByRole('textbox', { name: 'Consent' }).inputValue()).toBe('You may print my words.')
      await page.getByRole('button', { name: 'Save changes' }).last().click()
      await page.getByText('must be a colour such as #3366ff').waitFor()
      expectRefusal(400)
      await check('a colour that is none')
      expect((await client.projects.retrieve(refOf(fixture))).consent_text).not.toBe('You may print my words.')
      await page.getByRole('textbox', { name: 'Theme colour' }).fill('#ffe600')
      await page.getByRole('button', { name: 'Save changes' }).last().click()
      await page.getByText('Saved.').waitFor()
      await check('a bright colour')
      expect(await client.projects.retrieve(refOf(fixture))).toMatchObject({
        consent_text: 'You may print my words.',
        theme: { color: '#ffe600' },
      })
      await page.getByRole('textbox', { name: 'Name in addresses' }).fill('shop')
      await page.getByRole('button', { name: 'Save changes' }).first().click()
      await page.waitForURL(/\/shop\/settings$/)
      expect((await client.projects.retrieve(refOf(fixture))).slug).toBe('shop')
      await page.getByRole('textbox', { name: 'Label of a new key' }).fill('Footer')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('button', { name: 'Revoke Footer' }).click()
      await page.getByRole('dialog', { name: 'Revoke this key?' }).waitFor()
      await check('revoking a key')
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('No public key yet').waitFor()
      expect((await client.publicKeys.list(refOf(fixture))).results).toEqual([])
    },
  },
  {
    name: 'a project is deleted by keyboard alone, once its name is typed',
    run: async (fixture) => {
      const { page, open, client, team, project } = fixture
      await open('settings')
      await page.getByRole('button', { name: 'Delete project' }).focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Delete Website?' })
      await dialog.waitFor()
      const confirm = dialog.getByRole('button', { name: 'Delete project' })
      expect(await confirm.getAttribute('aria-disabled')).toBe('true')
      await confirm.focus()
      await page.keyboard.press('Enter')
      expect((await client.projects.list({ team_id: team.id })).results.map(({ id }) => id)).toEqual([project.id])
      await dialog.getByRole('textbox').focus()
      await page.keyboard.type('website')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your first project' }).waitFor()
      expect((await client.projects.list({ team_id: team.id })).results).toEqual([])
    },
  },
  {
    name: 'people are invited, get other roles and leave',
    run: async (fixture) => {
      const { page, open, check, client, team, colleague, expectRefusal } = fixture
      const viewer = await colleague('viewer')
      await open('-/members')
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('nobody')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByText('must be an e-mail address').waitFor()
      expectRefusal(400)
      await check('an address that is none')
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('linus@example.org')
      await page.getByRole('combobox', { name: 'Role' }).last().selectOption('admin')
      await page.keyboard.press('Tab')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByRole('button', { name: 'Resend to linus@example.org' }).waitFor()
      await check('an invitation')
      const invited = async () => (await client.invitations.list({ team_id: team.id, state: 'pending' })).results
      expect(await invited()).toMatchObject([{ email: 'linus@example.org', role: 'admin' }])
      await viewer.page.goto(`${fixture.url}/app/${team.slug}/-/members`)
      await viewer.page.getByText('Address hidden from viewers').waitFor()
      expect(await viewer.page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Revoke the invitation of linus@example.org' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('Nobody is invited at the moment.').waitFor()
      expect(await invited()).toEqual([])
      const roleOf = async (name: string) =>
        (await client.members.list({ team_id: team.id })).results.find(({ user }) => user.name === name)?.role
      await page.getByRole('combobox', { name: 'Role of Vera Viewer' }).selectOption('member')
      await check('a new role, before it holds')
      expect(await roleOf('Vera Viewer')).toBe('viewer')
      await page.getByRole('dialog', { name: 'Make Vera Viewer a member?' }).getByRole('button', { name: 'Change the role' }).click()
      await page.getByText('Vera Viewer is a member now.').waitFor()
      expect(await roleOf('Vera Viewer')).toBe('member')
      await page.getByRole('combobox', { name: 'Role of Grace Hopper' }).selectOption('viewer')
      await page.getByRole('button', { name: 'Become a viewer' }).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
      expectRefusal(409)
      await check('the last owner')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'More about Vera Viewer' }).click()
      await page.getByRole('menuitem', { name: 'Remove from the team' }).click()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByText('Vera Viewer', { exact: true }).waitFor({ state: 'detached' })
      const { results } = await client.members.list({ team_id: team.id })
      expect(results.map(({ user, role }) => [user.name, role])).toEqual([['Grace Hopper', 'owner']])
    },
  },
  {
    name: 'a person is exported and erased by e-mail address',
    run: async (fixture) => {
      const { page, open, check, client, team } = fixture
      const ref = refOf(fixture)
      const author = { name: 'Ada', email: 'ada@example.com' }
      await client.submissions.create({ ...ref, body: 'Words of Ada', author })
      await client.submissions.create({ ...ref, body: 'Words of Ben', author: { name: 'Ben' } })
      await open('-/privacy')
      const exporting = page.getByRole('form', { name: 'Export' })
      await exporting.getByRole('textbox', { name: 'E-mail address' }).fill('ada@example.com')
      const [download] = await Promise.all([page.waitForEvent('download'), exporting.getByRole('button', { name: 'Export' }).click()])
      expect(download.suggestedFilename()).toBe('personal-data.json')
      await page.getByText('saved as a file').waitFor()
      const erasing = page.getByRole('form', { name: 'Erase' })
      await erasing.getByRole('textbox', { name: 'E-mail address' }).fill('ada@example.com')
      await erasing.getByRole('button', { name: 'Erase…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Erase this person?' })
      await dialog.getByRole('textbox').fill('ada@example.org')
      // Disabled: a press does nothing.
      await dialog.getByRole('button', { name: 'Erase for good' }).click({ force: true })
      await check('asking before an erasure')
      expect((await client.submissions.list(ref)).results).toHaveLength(2)
      await dialog.getByRole('textbox').fill('Ada@example.com')
      await dialog.getByRole('button', { name: 'Erase for good' }).click()
      await page.getByRole('dialog', { name: 'Erasure' }).getByText('Completed').waitFor()
      await check('a receipt')
      expect((await client.submissions.list(ref)).results.map(({ author }) => author.name)).toEqual(['Ben'])
      const requests = (await client.privacy.requests.list({ team_id: team.id })).results
      expect(requests.map(({ kind }) => kind)).toEqual(['erase', 'export'])
      await page.goBack()
      await page.getByRole('dialog', { name: 'Erasure' }).waitFor({ state: 'detached' })
      await check('the list of requests')
    },
  },
  {
    name: 'team settings are checked and saved, and usage is shown',
    run: async (fixture) => {
      const { page, open, check, client, team, expectRefusal } = fixture
      await open('-/settings')
      const save = page.getByRole('button', { name: 'Save changes' })
      await page.getByRole('textbox', { name: 'Origins that may call the API' }).fill('https://app.example.com\nhttps://example.com/path')
      await save.last().click()
      await page.getByText('without a path: https://example.com').waitFor()
      await page.getByRole('textbox', { name: 'Origins that may call the API' }).fill('https://app.example.com\n')
      await page.getByRole('spinbutton', { name: 'Days to keep the content of events' }).fill('31')
      await save.last().click()
      await until('the days are refused', async () => (await page.locator('.field-error').count()) === 1)
      expectRefusal(400)
      await check('days that are too many')
      await page.getByRole('spinbutton', { name: 'Days to keep the content of events' }).fill('7')
      await save.last().click()
      await page.getByText('Saved.').waitFor()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Compilers & Sons')
      const language = page.getByRole('combobox', { name: 'Language' })
      await language.fill('de-AT')
      await page.getByText('Austrian German').waitFor()
      await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin')
      await save.first().click()
      await until('all is saved', async () => (await client.teams.retrieve({ team_id: team.id })).name === 'Compilers & Sons')
      expect((await client.teams.retrieve({ team_id: team.id })).settings).toMatchObject({
        ...{ cors_origins: ['https://app.example.com'], payload_retention_days: 7, timezone: 'Europe/Berlin', locale: 'de-AT' },
      })
      await open('-/usage')
      await page.getByRole('heading', { name: 'Projects' }).waitFor()
      await check('usage')
    },
  },
]
