import { equal } from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { Company, Fixture, Journey } from './fixture.ts'

const EXPORT = fileURLToPath(new URL('senja-export.csv', import.meta.url))
const OWNER = 'Elodie Martin'
const COUNT = 6
const SHOWN = 'Twelve rooms of blinds without one wrong length.'

/** A team brings its testimonials along from another service. */
export const movingIn: Journey = {
  name: 'moving-in',
  tell: async (fixture) => {
    const company = await fixture.company({ team: 'Birch & Bloom', project: 'Birch & Bloom', people: [OWNER] })
    const page = await company.signIn(OWNER, 'imports')
    await map(fixture, page)
    await run(page)
    await approveAll(fixture, page)
    await showWall(fixture, page)
    await expectImported(company)
  },
}

async function map({ shoot }: Fixture, page: Page): Promise<void> {
  await page.getByText('No imports yet').waitFor()
  const choose = page.getByRole('button', { name: 'Choose a file' })
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), choose.click()])
  await chooser.setFiles(EXPORT)
  await page.getByText('Recognized: Senja').waitFor()
  await page.getByRole('combobox', { name: 'What city becomes' }).selectOption({ label: 'Keep as metadata' })
  await page.evaluate('scrollTo(0, 0)')
  await shoot(page, 'columns')
  await page.getByRole('checkbox', { name: 'All authors agreed to publication' }).check()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Records arrive pending. You can undo the import.').waitFor()
  await page.getByRole('heading', { name: 'Preview' }).scrollIntoViewIfNeeded()
  await page.getByRole('cell', { name: SHOWN }).last().scrollIntoViewIfNeeded()
  await shoot(page, 'preview')
}

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: `Import ${COUNT} rows` }).click()
  await page.getByRole('button', { name: 'Undo the import' }).waitFor()
}

async function approveAll({ shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Open the inbox' }).click()
  await page.getByRole('link', { name: `Pending ${COUNT}` }).waitFor()
  await page.getByRole('option').first().click()
  await page
    .getByRole('option')
    .last()
    .click({ modifiers: ['Shift'] })
  await page.getByText(`${COUNT} selected`).first().waitFor()
  await shoot(page, 'all-selected')
  await page.keyboard.press('a')
  await page.getByText(`Approved ${COUNT} submissions`).waitFor()
  await page.getByRole('link', { name: `Approved ${COUNT}` }).waitFor()
}

async function showWall({ url, visit, shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Widgets' }).click()
  await page.getByRole('link', { name: 'Add a widget' }).last().click()
  await page.getByLabel('Name').fill('Customers')
  await page.getByRole('region', { name: 'Preview' }).getByText(SHOWN).waitFor()
  await page.getByRole('button', { name: 'Create the widget' }).click()
  const lines = (await page.locator('code', { hasText: '<earshot-wall' }).textContent()) ?? ''
  const visitor = (await visit('laptop')).page
  await visitor.goto(`${url}/w/${/widget="([^"]+)"/.exec(lines)?.[1]}`)
  await visitor.getByText(SHOWN).waitFor()
  equal(await visitor.getByRole('listitem').count(), COUNT)
  await shoot(visitor, 'the-wall')
}

async function expectImported({ client, project }: Company): Promise<void> {
  const { results } = await client.submissions.list({ ...project, state: 'approved' })
  equal(results.length, COUNT)
  equal(results.find(({ author }) => author.name === 'Freya Holm')?.metadata.city, 'Aarhus')
}
