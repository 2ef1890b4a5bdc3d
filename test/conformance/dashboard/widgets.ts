import { equal } from 'node:assert/strict'
import type { Fixture, Flow } from './fixture.ts'

export const widgetFlows: readonly Flow[] = [
  {
    name: 'widgets: a member makes one with a preview, changes it and copies its line',
    run: async (fixture) => {
      const { page, open, check, client, context, team, project, expectRefusal } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      await addWords(fixture, 'Ada Lovelace', 5)
      await addWords(fixture, 'Joan Clarke', 3)
      await client.publicKeys.create({ ...ref, label: 'Form' })
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await open('widgets')
      await page.getByRole('heading', { name: 'No widgets yet' }).waitFor()
      await check('no widgets')
      await page.getByRole('link', { name: 'Add a widget' }).last().click()
      const preview = page.getByRole('region', { name: 'Preview' })
      await preview.getByText('Joan Clarke').waitFor()
      await page.getByLabel('Rating').selectOption('4')
      await preview.getByText('Joan Clarke').waitFor({ state: 'detached' })
      await page.getByLabel('Name').fill('Home page')
      await page.getByLabel('An accent colour of its own').check()
      await page.getByRole('textbox', { name: 'Accent colour', exact: true }).fill('#ffff0')
      await page.getByRole('button', { name: 'Create the widget' }).click()
      await page.getByRole('textbox', { name: 'Accent colour', exact: true }).and(page.locator('[aria-invalid]')).waitFor()
      expectRefusal(400)
      await page.getByRole('textbox', { name: 'Accent colour', exact: true }).fill('#ffff00')
      await page.getByText('hard to read on white').waitFor()
      await check('a new widget')
      await page.getByRole('button', { name: 'Create the widget' }).click()
      await page.getByRole('heading', { name: 'Put it on your website' }).waitFor()
      const [widget] = (await client.widgets.list(ref)).results
      equal(widget?.name, 'Home page')
      equal(widget?.filter.min_rating, 4)
      equal(widget?.theme.color, '#ffff00')
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      await page.getByLabel('Layout').selectOption('badge')
      await preview.getByText('from 2 people').waitFor()
      await page.getByText('Not saved yet').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('<earshot-badge').waitFor()
      await check('a badge')
      equal((await client.widgets.retrieve({ ...ref, widget_id: widget?.id ?? '' })).layout, 'badge')
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete the widget' }).click()
      await page.getByRole('heading', { name: 'No widgets yet' }).waitFor()
      equal((await client.widgets.list(ref)).results.length, 0)
    },
  },
]

async function addWords({ client, team, project }: Fixture, name: string, rating: number): Promise<void> {
  const ref = { team_id: team.id, project_id: project.id }
  const { id } = await client.testimonials.create({
    ...ref,
    body: 'Saved us a week.',
    rating,
    author: { name },
    consent: { granted: true },
  })
  await client.submissions.approve({ ...ref, submission_id: id })
}
