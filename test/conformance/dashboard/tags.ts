import { equal } from 'node:assert/strict'
import { sizes } from '@earshot/contracts'
import type { Fixture, Flow } from './fixture.ts'
import { leaveWords } from './inbox.ts'

export const tagFlows: readonly Flow[] = [
  {
    name: 'tags: several submissions get and lose a tag in one go, by keyboard, and it says what failed',
    run: async (fixture) => {
      const { page, open, check, client, expectRefusal, size } = fixture
      const [ada, ben, cleo] = await leaveWords(fixture, ['Ada', 'Ben', 'Cleo'])
      const full = Array.from({ length: sizes.tags }, (_, index) => `full ${index}`)
      await client.submissions.update({ ...refOf(fixture, ada?.id), tags: full })
      await client.submissions.update({ ...refOf(fixture, ben?.id), tags: ['press'] })
      await open('inbox')
      await page.getByRole('option', { name: /Cleo/ }).waitFor()
      // On a phone, nothing is open at first.
      for (const key of size === 'phone' ? ['j', 'x', 'j', 'x', 'j', 'x'] : ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
      await page.getByText('3 selected').filter({ visible: true }).first().waitFor()
      await page.keyboard.press('t')
      const dialog = page.getByRole('dialog', { name: 'Tags of 3 submissions' })
      await dialog.getByText('1 of 3').first().waitFor()
      await page.keyboard.type('pricing')
      await page.keyboard.press('Enter')
      await dialog.getByText(/^2 of 3 now have the tag pricing\. 1 could not be changed: /).waitFor()
      await check('tags of several, one failed')
      expectRefusal(400)
      await client.submissions.update({ ...refOf(fixture, ada?.id), tags: [] })
      await dialog.getByRole('button', { name: 'Try again' }).click()
      await dialog.getByText('1 of 1 now have the tag pricing.').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.keyboard.press('t')
      await dialog.getByRole('button', { name: 'Remove the tag press' }).click()
      await dialog.getByText('1 of 1 no longer have the tag press.').waitFor()
      for (const one of [ada, ben, cleo]) equal((await client.submissions.retrieve(refOf(fixture, one?.id))).tags.join(), 'pricing')
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.keyboard.press('?')
      await page.getByText('Add a tag; with several selected, change the tags of all').waitFor()
    },
  },
  {
    name: 'tags: what the person has tagged is not read again when the stream tells it',
    run: async (fixture) => {
      const { page, open, size } = fixture
      await leaveWords(fixture, ['Ada', 'Ben', 'Cleo'])
      await open('inbox')
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })
      for (const key of size === 'phone' ? ['j', 'x', 'j', 'x'] : ['x', 'j', 'x']) await page.keyboard.press(key)
      await page.keyboard.press('t')
      const dialog = page.getByRole('dialog', { name: 'Tags of 2 submissions' })
      await dialog.waitFor()
      const read: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'GET' && /\/submissions\/(\?|[0-9a-f-]{36}\/$)/.test(request.url())) read.push(request.url())
      })
      // The figures are asked for when changes are shown.
      const shown = page.waitForRequest(/\/submissions\/counts\//)
      await page.keyboard.type('pricing')
      await page.keyboard.press('Enter')
      await dialog.getByText('2 of 2 now have the tag pricing.').waitFor()
      await shown
      equal(read.join(), '')
    },
  },
  {
    name: 'tags: a page lists, renames, merges and deletes them',
    run: async (fixture) => {
      const { page, open, check, client, team, project } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      const [ada, ben] = await leaveWords(fixture, ['Ada', 'Ben'])
      await open('settings')
      await page.getByRole('link', { name: 'Manage tags' }).click()
      await page.getByRole('heading', { name: 'No tags yet' }).waitFor()
      await check('no tags')
      await client.submissions.update({ ...refOf(fixture, ada?.id), tags: ['setup', 'pricing'] })
      await client.submissions.update({ ...refOf(fixture, ben?.id), tags: ['onboarding', 'setup'] })
      await open('inbox')
      await page.getByRole('button', { name: 'Show the filters' }).click()
      await page.getByRole('link', { name: 'Manage tags' }).click()
      await page.getByRole('row', { name: 'setup 2 Rename setup Delete setup' }).waitFor()
      await check('the tags')
      await page.getByRole('link', { name: 'Rename pricing' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'New name' }).fill('prices')
      await page.keyboard.press('Enter')
      await page.getByText('Renamed “pricing” to “prices”').waitFor()
      await page.getByRole('cell', { name: 'prices', exact: true }).waitFor()
      // A link to the dialog itself.
      await open('tags?rename=onboarding')
      await dialog.getByRole('textbox', { name: 'New name' }).fill('setup')
      await dialog.getByText('is a tag already, on 2 submissions').waitFor()
      await check('before a merge')
      await dialog.getByRole('button', { name: 'Merge' }).click()
      await page.getByText('Merged “onboarding” into “setup”').waitFor()
      await page.getByRole('link', { name: 'Delete prices' }).click()
      await dialog.getByText('It is removed from 1 submission').waitFor()
      await check('before a tag is deleted')
      await page.goBack()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Delete prices' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Deleted “prices”').waitFor()
      await page.getByRole('cell', { name: 'prices', exact: true }).waitFor({ state: 'detached' })
      equal(JSON.stringify((await client.tags.list(ref)).results), JSON.stringify([{ tag: 'setup', count: 2 }]))
      const { page: other } = await fixture.colleague('viewer')
      await other.goto(page.url())
      await other.getByRole('cell', { name: 'setup', exact: true }).waitFor()
      equal(await other.getByRole('link', { name: /Rename|Delete/ }).count(), 0)
    },
  },
  {
    name: 'tags: what is being typed in a short form survives a reload, and is gone once it is sent',
    run: async (fixture) => {
      const { page, open } = fixture
      const [only] = await leaveWords(fixture, ['Ada'])
      await open(`inbox?item=${only?.id}`)
      await page.getByRole('combobox', { name: 'Add a tag' }).fill('pric')
      await page.getByRole('button', { name: 'Reject' }).click()
      const reason = page.getByRole('dialog').getByRole('textbox', { name: 'Reason' })
      await reason.fill('Not a customer, but a competitor')
      await page.reload()
      equal(await page.getByRole('combobox', { name: 'Add a tag' }).inputValue(), 'pric')
      await page.getByRole('button', { name: 'Reject' }).click()
      equal(await reason.inputValue(), 'Not a customer, but a competitor')
      await page.keyboard.press('Enter')
      await page.getByText('Rejected Ada’s words').waitFor()
      await page.keyboard.press('z')
      await page.getByRole('button', { name: 'Reject' }).click()
      equal(await reason.inputValue(), '')
      await open('-/members')
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByLabel('E-mail address').fill('ada@example.com')
      await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).selectOption('admin')
      // The dialog has an address.
      await page.reload()
      equal(await page.getByLabel('E-mail address').inputValue(), 'ada@example.com')
      equal(await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).inputValue(), 'admin')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByText('The invitation is on its way').waitFor()
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      equal(await page.getByLabel('E-mail address').inputValue(), '')
    },
  },
]

function refOf({ team, project }: Fixture, submission_id = '') {
  return { team_id: team.id, project_id: project.id, submission_id }
}
