import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import type { Fixture, Flow } from './fixture.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../../fixtures/imports/${name}`, import.meta.url))

const bodiesOf = async ({ client, team, project }: Fixture) =>
  (await client.submissions.list({ team_id: team.id, project_id: project.id })).results.map(({ body }) => body)

export const importFlows: readonly Flow[] = [
  {
    name: 'a file of another service is mapped, looked at, imported and undone',
    run: async (fixture) => {
      const { page, open, check, client, team, project } = fixture
      await open('imports')
      await page.getByText('No imports yet').waitFor()
      await check('no imports')
      await page.locator('input[type=file]').setInputFiles(fileOf('senja-full.csv'))
      await page.getByText('Recognized: Senja').waitFor()
      await page
        .getByRole('cell', { name: /It saved us a week/ })
        .last()
        .waitFor()
      await check('a dry run')
      expect(await bodiesOf(fixture)).toEqual([])
      await page.getByRole('combobox', { name: 'What city becomes' }).selectOption({ label: 'Keep as metadata' })
      await page.getByRole('checkbox', { name: 'All authors agreed to publication' }).check()
      await page.getByText('You changed something: check again first.').waitFor()
      // Disabled: a press does nothing.
      await page.getByRole('button', { name: /^Import \d/ }).click({ force: true })
      expect(await bodiesOf(fixture)).toEqual([])
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByText('Records arrive pending. You can undo the import.').waitFor()
      expect(await page.getByRole('combobox', { name: 'What city becomes' }).inputValue()).toBe('metadata.city')
      await page.reload()
      await page.getByText('London').waitFor()
      await page.getByRole('button', { name: /^Import \d/ }).click()
      await page.getByRole('button', { name: 'Undo the import' }).waitFor()
      await check('a completed import')
      const made = (await client.submissions.list({ team_id: team.id, project_id: project.id })).results
      expect(made.find(({ author }) => author.name === 'Ada Lovelace')).toMatchObject({
        ...{ state: 'pending', channel: 'import', metadata: { city: 'London' }, consent: { granted: true } },
      })
      await page.getByRole('button', { name: 'Undo the import' }).click()
      await check('asking before an undo')
      await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
      await page.getByText('The import is undone.').waitFor()
      await until('all records are gone', async () => (await bodiesOf(fixture)).length === 0)
      await page.getByRole('link', { name: 'All imports' }).click()
      await page.getByRole('link', { name: /senja-full\.csv/ }).waitFor()
      await check('the list of imports')
    },
  },
  {
    name: 'rows that fail are listed with their reasons and can be downloaded',
    run: async ({ page, open, check }) => {
      await open('imports')
      await page.locator('input[type=file]').setInputFiles(fileOf('senja-faults.csv'))
      await page.getByRole('heading', { name: 'Rows that would fail' }).waitFor()
      await page.getByRole('cell', { name: '“customer_email” must be an e-mail address' }).waitFor()
      await check('rows that fail')
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
      expect(download.suggestedFilename()).toMatch(/senja-faults/)
      await page.getByRole('link', { name: 'All imports' }).click()
      await page.getByRole('combobox', { name: 'State' }).selectOption('approved')
      const [exported] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'NDJSON of submissions' }).click(),
      ])
      expect(exported.suggestedFilename()).toBe('submissions.ndjson')
      expect(exported.url()).toMatch(/format=ndjson&state=approved$/)
    },
  },
  {
    name: 'a table of one’s own is imported by keyboard alone',
    run: async (fixture) => {
      const { page, open, check } = fixture
      await open('imports')
      await page.getByText('No imports yet').waitFor()
      const choose = page.getByRole('button', { name: 'Choose a file' })
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), choose.press('Enter')])
      await chooser.setFiles({
        name: 'voices.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Who;Praise\nAda;"Saved us; really, a week"\n'),
      })
      await page.getByText('Which column is the text?').waitFor()
      await check('a file without a text')
      const text = page.getByRole('combobox', { name: 'What Praise becomes' })
      await text.focus()
      await page.keyboard.type('Text')
      expect(await text.inputValue()).toBe('body')
      await page.getByRole('combobox', { name: 'What Who becomes' }).focus()
      await page.keyboard.type('Author')
      expect(await page.getByRole('combobox', { name: 'What Who becomes' }).inputValue()).toBe('author.name')
      await page.getByRole('button', { name: 'Check again' }).focus()
      await page.keyboard.press('Enter')
      await page.getByText('Records arrive pending. You can undo the import.').waitFor()
      await page.getByRole('button', { name: 'Import 1 row' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Undo the import' }).waitFor()
      expect(await bodiesOf(fixture)).toEqual(['Saved us; really, a week'])
    },
  },
]
