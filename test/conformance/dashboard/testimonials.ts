import { equal } from 'node:assert/strict'
import { until } from '../../support/until.ts'
import { dragByKeys, dragByPointer } from './dragging.ts'
import type { Fixture, Flow } from './fixture.ts'

const BODY = 'Saved us a week. Nobody on the team wants to go back.'

export const testimonialFlows: readonly Flow[] = [
  {
    name: 'testimonials: a member adds one, and it is public',
    run: async ({ page, open, check, client, team, project, expectRefusal }) => {
      await open('testimonials')
      await page.getByRole('heading', { name: 'No testimonials yet' }).waitFor()
      await check('no testimonials')
      await page.getByRole('link', { name: 'Add the first one' }).click()
      const form = page.getByRole('dialog', { name: 'Add a testimonial' })
      await form.getByLabel('Words', { exact: true }).fill(BODY)
      await page.reload()
      equal(await form.getByLabel('Words', { exact: true }).inputValue(), BODY, 'a reload keeps what was typed')
      await form.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
      await form.getByLabel('E-mail').fill('ada@example')
      await form.getByLabel('Rating').selectOption('5')
      await form.getByLabel('The customer agreed to publication').check()
      await form.getByRole('button', { name: 'Add the testimonial' }).click()
      await form.getByLabel('E-mail').and(page.locator('[aria-invalid]')).waitFor()
      await check('a refused testimonial')
      expectRefusal(400)
      await form.getByLabel('E-mail').fill('')
      await form.getByRole('button', { name: 'Add the testimonial' }).click()
      await page.getByRole('heading', { name: 'As visitors see it' }).waitFor()
      await check('an open testimonial')
      const [created] = (await client.testimonials.list({ team_id: team.id, project_id: project.id })).results
      equal(created?.body, BODY)
      equal(created?.rating, 5)
      equal(created?.public, true)
    },
  },
  {
    name: 'testimonials: keys alone choose an excerpt, feature it and remove it',
    run: async (fixture) => {
      const { page, open, check } = fixture
      const id = await addTestimonial(fixture, 'Ada Lovelace')
      await open(`testimonials?item=${id}`)
      const words = page.getByRole('textbox', { name: 'Words of Ada Lovelace' })
      await words.focus()
      await page.keyboard.press('Home')
      for (let step = 0; step < 'Saved us a week.'.length; step += 1) await page.keyboard.press('Shift+ArrowRight')
      await page.getByText('“Saved us a week.”').waitFor()
      await check('a selected part')
      await page.keyboard.press('Tab')
      await page.locator('button:focus', { hasText: 'Use as excerpt' }).waitFor()
      await page.keyboard.press('Enter')
      await words.locator('mark', { hasText: 'Saved us a week.' }).waitFor()
      const shown = page.getByRole('figure', { name: 'Ada Lovelace' }).getByRole('blockquote')
      await shown.locator('mark').waitFor()
      equal(await shown.textContent(), BODY)
      const star = page.getByRole('region', { name: 'Open words' }).getByRole('button', { name: 'Feature the words of Ada Lovelace' })
      await star.focus()
      await page.keyboard.press('Space')
      await stored(fixture, id, ({ excerpt, featured }) => excerpt === 'Saved us a week.' && featured)
      await check('an excerpt')
      await page.getByRole('button', { name: 'Remove the excerpt' }).focus()
      await page.keyboard.press('Enter')
      await stored(fixture, id, ({ excerpt }) => excerpt === null)
    },
  },
  {
    name: 'testimonials: featured ones are put in order by buttons, by keys and by dragging',
    run: async (fixture) => {
      const { page, open, check } = fixture
      for (const name of ['Ada', 'Grace', 'Joan']) await addTestimonial(fixture, name, { featured: true })
      await open('testimonials?view=order')
      await page.getByRole('button', { name: 'Move Joan down' }).click()
      await inOrder(fixture, ['Grace', 'Joan', 'Ada'])
      await check('the order')
      await dragByKeys(page, { handle: 'Drag the words of Ada', name: 'Ada', from: 3, to: 1, count: 3 })
      await inOrder(fixture, ['Ada', 'Grace', 'Joan'])
      await dragByPointer(page, { from: 'Drag the words of Joan', to: 'Drag the words of Ada' })
      await inOrder(fixture, ['Joan', 'Ada', 'Grace'])
    },
  },
  {
    name: 'testimonials: search and filters stand in the address, and a member deletes',
    run: async (fixture) => {
      const { page, open, check, client, team, project } = fixture
      await addTestimonial(fixture, 'Ada Lovelace')
      await addTestimonial(fixture, 'Joan Clarke')
      await open('testimonials')
      await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
      await page.getByRole('searchbox', { name: 'Search' }).fill('clarke')
      await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor({ state: 'detached' })
      equal(new URL(page.url()).searchParams.get('q'), 'clarke')
      await page.getByLabel('State').selectOption('rejected')
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
      await check('nothing matches')
      await page.getByRole('link', { name: 'Clear the filters' }).click()
      await page.getByRole('link', { name: 'Joan Clarke' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog')
      await check('before a deletion')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Deleted.').waitFor()
      await page.getByRole('link', { name: 'Joan Clarke' }).waitFor({ state: 'detached' })
      const left = (await client.testimonials.list({ team_id: team.id, project_id: project.id })).results
      equal(left.map(({ author }) => author.name).join(), 'Ada Lovelace')
    },
  },
  {
    name: 'testimonials: a decision is held for five seconds, and taken back by the same button or by a key',
    run: async (fixture) => {
      const { page, open, check } = fixture
      const id = await addTestimonial(fixture, 'Ada Lovelace')
      await open(`testimonials?item=${id}`)
      const opened = page.getByRole('region', { name: 'Open words' })
      await opened.getByRole('button', { name: 'Take down' }).click()
      const dialog = page.getByRole('dialog', { name: 'Take down Ada Lovelace’s words' })
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Out of date')
      await page.keyboard.press('Enter')
      await page.getByText('Rejected Ada Lovelace’s words').waitFor()
      await opened.getByText('Rejected', { exact: true }).waitFor()
      await check('a decision that can be taken back')
      equal((await stateOf(fixture, id)).state, 'approved', 'nothing is sent before it can be taken back no more')
      await opened.getByRole('button', { name: 'Undo' }).click()
      await opened.getByText('Public', { exact: true }).waitFor()
      await page.locator('button:focus', { hasText: 'Take down' }).waitFor()
      await page.keyboard.press('Enter')
      await dialog.getByRole('textbox', { name: 'Reason' }).press('Enter')
      await opened.getByRole('button', { name: 'Undo' }).waitFor()
      await page.keyboard.press('z')
      await opened.getByRole('button', { name: 'Take down' }).click()
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Out of date')
      await page.keyboard.press('Enter')
      await until('the decision arrives', async () => (await stateOf(fixture, id)).state === 'rejected')
      equal((await stateOf(fixture, id)).moderation.reason, 'Out of date')
      await opened.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved Ada Lovelace’s words').waitFor()
      await page.goto('about:blank')
      await until('the approval arrives', async () => (await stateOf(fixture, id)).state === 'approved')
    },
  },
  {
    name: 'testimonials: a viewer reads and changes nothing',
    run: async (fixture) => {
      const id = await addTestimonial(fixture, 'Ada Lovelace', { featured: true })
      const { page } = await fixture.colleague('viewer')
      await page.goto(`${fixture.url}/app/${fixture.team.slug}/${fixture.project.slug}/testimonials?item=${id}`)
      await page.getByRole('heading', { name: 'As visitors see it' }).waitFor()
      for (const name of ['Add a testimonial', 'Approve', 'Take down', 'Delete', 'Edit'])
        equal(await page.getByRole('button', { name }).count(), 0, name)
    },
  },
]

type Testimonial = Awaited<ReturnType<Fixture['client']['testimonials']['retrieve']>>

async function addTestimonial({ client, team, project }: Fixture, name: string, fields: { featured?: boolean } = {}): Promise<string> {
  const ref = { team_id: team.id, project_id: project.id }
  const { id } = await client.testimonials.create({ ...ref, ...fields, body: BODY, author: { name }, consent: { granted: true } })
  await client.submissions.approve({ ...ref, submission_id: id })
  return id
}

function stateOf({ client, team, project }: Fixture, submission_id: string) {
  return client.submissions.retrieve({ team_id: team.id, project_id: project.id, submission_id })
}

/** Waits until the service has stored what the page shows already. */
async function stored({ client, team, project }: Fixture, id: string, isSo: (testimonial: Testimonial) => boolean): Promise<void> {
  await until('the service has stored it', async () =>
    isSo(await client.testimonials.retrieve({ team_id: team.id, project_id: project.id, testimonial_id: id })),
  )
}

/** Waits until widgets show this order. */
async function inOrder({ client, team, project }: Fixture, names: readonly string[]): Promise<void> {
  const ref = { team_id: team.id, project_id: project.id }
  const [known] = (await client.widgets.list(ref)).results
  const { id: widget_id } = known ?? (await client.widgets.create({ ...ref, name: 'Order', layout: 'wall' }))
  await until(`widgets show ${names}`, async () => {
    const { items } = await client.public.widgets.retrieve({ widget_id })
    return items.map(({ author }) => author.name).join() === names.join()
  })
}
