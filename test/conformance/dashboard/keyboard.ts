import { deepEqual, equal } from 'node:assert/strict'
import { until } from '../../support/until.ts'
import type { Fixture, Flow } from './fixture.ts'
import { keysOf } from './keys.ts'

const refOf = ({ team, project }: Fixture) => ({ team_id: team.id, project_id: project.id })

export const keyboardFlows: readonly Flow[] = [
  {
    name: 'keys alone: an endpoint is made, paused and deleted',
    run: async (fixture) => {
      const { page, open, client, team } = fixture
      const { enter, write, press } = keysOf(page)
      const listed = async () => (await client.webhooks.list({ team_id: team.id })).results
      await open('-/webhooks')
      await page.getByRole('button', { name: 'New endpoint' }).first().waitFor()
      await enter('New endpoint')
      await page.getByRole('heading', { name: 'New endpoint' }).waitFor()
      await write('Address', 'https://hooks.example.com/earshot')
      await enter('Create the endpoint')
      await page.getByRole('dialog', { name: 'The endpoint is ready' }).waitFor()
      await enter('I have stored the secret')
      await page.getByRole('button', { name: 'Pause' }).waitFor()
      await enter('Pause')
      await page.getByRole('button', { name: 'Resume' }).waitFor()
      equal((await listed())[0]?.state, 'paused')
      await enter('Settings')
      await page.getByRole('button', { name: 'Delete the endpoint' }).waitFor()
      await enter('Delete the endpoint')
      await page.getByRole('dialog').waitFor()
      await press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await enter('Delete the endpoint')
      await page.getByRole('dialog').waitFor()
      await enter('Cancel')
      await enter('Delete the endpoint')
      await page.getByRole('dialog').waitFor()
      await enter(/^Delete/)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await until('the endpoint is deleted', async () => (await listed()).length === 0)
      await press('Tab')
    },
  },
  {
    name: 'keys alone: somebody is invited, and not any more',
    run: async (fixture) => {
      const { page, open, client, team } = fixture
      const { enter, write, press, tabTo } = keysOf(page)
      const invited = async () => (await client.invitations.list({ team_id: team.id, state: 'pending' })).results
      await open('-/members')
      await page.getByRole('button', { name: 'Invite' }).waitFor()
      await enter('Invite')
      await write('E-mail address', 'linus@example.org')
      await tabTo(/^Role/)
      await page.keyboard.press('ArrowDown')
      await enter('Send invitation')
      await page.getByRole('button', { name: 'Revoke the invitation of linus@example.org' }).waitFor()
      deepEqual(
        (await invited()).map(({ email }) => email),
        ['linus@example.org'],
      )
      await enter('Revoke the invitation of linus@example.org')
      await page.getByRole('dialog').waitFor()
      await enter('Revoke')
      await page.getByText('Nobody is invited at the moment.').waitFor()
      await press('Tab')
      deepEqual(await invited(), [])
    },
  },
  {
    name: 'keys alone: questions are added, moved, doubled and removed',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const { openMenu, press, tabTo, write } = keysOf(page)
      const { id: survey_id } = await client.surveys.create({ ...refOf(fixture), name: 'Keys', language: 'en', questions: [] })
      const titles = async () => (await client.surveys.retrieve({ ...refOf(fixture), survey_id })).questions.map(({ title }) => title)
      await open(`surveys/${survey_id}/edit`)
      for (const title of ['First', 'Second']) {
        await page.getByRole('button', { name: 'Add a question' }).waitFor()
        await openMenu('Add a question')
        await press('ArrowDown')
        await press('Enter')
        await write('Question', title)
      }
      await until('both are saved', async () => (await titles()).join() === 'First,Second')
      await tabTo('Move question 2 up', 'back')
      await press('Enter')
      await until('they change places', async () => (await titles()).join() === 'Second,First')
      await openMenu('Actions for question 2')
      await press('Enter')
      await until('there are three', async () => (await titles()).length === 3)
      await openMenu('Actions for question 1')
      await press('End')
      await press('Enter')
      await until('one is removed', async () => (await titles())[0] === 'First')
    },
  },
  {
    name: 'keys alone: a widget is made, changed and deleted',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const { enter, press, tabTo, write } = keysOf(page)
      const listed = async () => (await client.widgets.list(refOf(fixture))).results
      await open('widgets')
      await page.getByRole('link', { name: 'Add a widget' }).first().waitFor()
      await enter('Add a widget')
      await write('Name', 'Home page')
      await tabTo('Layout')
      await press('ArrowDown')
      await enter('Create the widget')
      await page.getByRole('heading', { name: 'Put it on your website' }).waitFor()
      deepEqual(
        (await listed()).map(({ name, layout }) => [name, layout]),
        [['Home page', 'carousel']],
      )
      await enter('Delete')
      await page.getByRole('dialog').waitFor()
      await enter('Delete the widget')
      await page.getByRole('heading', { name: 'No widgets yet' }).waitFor()
      await press('Tab')
      deepEqual(await listed(), [])
    },
  },
  {
    name: 'keys alone: figures of other days',
    run: async (fixture) => {
      const { page, open } = fixture
      const { enter, press, tabTo } = keysOf(page)
      await fixture.client.testimonials.create({ ...refOf(fixture), body: 'Good.', author: { name: 'Ada' }, consent: { granted: true } })
      await open('analytics')
      await page.getByText('1 submission').first().waitFor()
      await enter('7 days')
      await page.waitForURL(/range=7d/)
      await tabTo('Submissions a day: period')
      const said = () => page.getByRole('slider', { name: 'Submissions a day: period' }).getAttribute('aria-valuetext')
      const before = await said()
      await press('ArrowLeft')
      await until('another day is told', async () => (await said()) !== before)
      await enter('Show as a table')
      await page.getByRole('region', { name: 'Submissions a day: table' }).waitFor()
    },
  },
  {
    name: 'keys alone: a project is renamed, and gets a key and loses it',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const { enter, press, write } = keysOf(page)
      await open('settings')
      await page.getByRole('heading', { name: 'Project settings' }).waitFor()
      await write('Name', 'Shop')
      await enter('Save changes')
      await until('it is renamed', async () => (await client.projects.retrieve(refOf(fixture))).name === 'Shop')
      await write('Label of a new key', 'Footer')
      await enter('Create key')
      await page.getByRole('button', { name: 'Revoke Footer' }).waitFor()
      await enter('Revoke Footer')
      await page.getByRole('dialog').waitFor()
      await enter('Revoke')
      await page.getByText('No public key yet').waitFor()
      await press('Tab')
      deepEqual((await client.publicKeys.list(refOf(fixture))).results, [])
    },
  },
  {
    name: 'keys alone: a token is made and deleted',
    run: async ({ page, url }) => {
      const { press, tabTo, write } = keysOf(page)
      await page.goto(`${url}/accounts/tokens/`)
      await write('Name', 'CI')
      await tabTo(/^Read your profile/)
      await press('Space')
      await tabTo('Create token')
      await page.keyboard.press('Enter')
      await page.getByText('Copy it now.').waitFor()
      await tabTo('Back to your tokens')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Delete CI' }).waitFor()
      await tabTo('Delete CI')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Delete CI' }).waitFor({ state: 'detached' })
    },
  },
]
