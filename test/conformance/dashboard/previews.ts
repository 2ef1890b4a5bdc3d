import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Frame, Page } from 'playwright-core'
import { type Fixture, type Flow, SETTLED } from './fixture.ts'

const PREVIEW = 'iframe[title="The survey as respondents see it"]'
const COLOR = '#b3125d'

/** What a person sees of the question that is shown: words, buttons by row, and the look of what a hand-made copy gets wrong first. */
const SEEN_OF_SURVEY = `(() => {
  const shown = [...document.querySelectorAll('.question')].find((one) => !one.hidden)
  const look = (node) => {
    if (!node) return null
    const { color, backgroundColor, fontSize, borderTopColor, borderRadius } = getComputedStyle(node)
    const { width, height } = node.getBoundingClientRect()
    return { color, backgroundColor, fontSize, borderTopColor, borderRadius, width: Math.round(width), height: Math.round(height) }
  }
  const rows = Object.values(Object.groupBy(shown.querySelectorAll('.answer label'), (label) => Math.round(label.getBoundingClientRect().top)))
  return {
    words: [document.querySelector('.brand').innerText, document.querySelector('main').innerText],
    perRow: rows.map((row) => row.length),
    looks: ['legend', 'legend small', 'kbd', '.answer label', '.ends'].map((name) => look(shown.querySelector(name))),
    parts: [...document.querySelectorAll('#form *')].flatMap((part) => (part.offsetHeight ? [\`\${part.tagName} \${part.className} \${part.offsetHeight}\`] : [])),
    around: ['#send', '#progress', '#step', '.card', '.mark', 'body'].map((name) => look(document.querySelector(name))),
  }
})()`

const SEEN_OF_WALL = `(() => {
  const { shadowRoot } = document.querySelector('earshot-wall')
  const look = (node) => {
    const { color, backgroundColor, fontSize, borderTopColor } = getComputedStyle(node)
    const { width, height } = node.getBoundingClientRect()
    return { color, backgroundColor, fontSize, borderTopColor, width: Math.round(width), height: Math.round(height) }
  }
  return {
    words: shadowRoot.querySelector('.earshot').innerText,
    cards: [...shadowRoot.querySelectorAll('.card')].map(look),
    quotes: [...shadowRoot.querySelectorAll('.quote')].map(look),
    marks: [...shadowRoot.querySelectorAll('mark')].map((mark) => [mark.innerText, look(mark)]),
  }
})()`

interface SeenOfSurvey {
  words: string[]
  perRow: number[]
  parts: string[]
}

interface SeenOfWall {
  words: string
  cards: { backgroundColor: string }[]
  marks: [string, object][]
}

export const previewFlows: readonly Flow[] = [
  {
    name: 'previews: a survey looks in the builder as on its page, also while it is typed',
    run: async (fixture) => {
      const { page, client, team, project, context, url, open, check } = fixture
      await client.projects.update({ team_id: team.id, project_id: project.id, theme: { color: COLOR } })
      const survey_id = await publishSurvey(fixture)
      await open(`surveys/${survey_id}/edit`)
      await showPreview(page)
      const phone = page.frameLocator(PREVIEW)
      await phone.getByRole('button', { name: 'Next' }).waitFor()
      const real = await context.newPage()
      const { width, height } = await sizeOfPreview(page)
      await real.setViewportSize({ width, height })
      await real.goto(`${url}/s/${survey_id}?lang=en`)
      await real.getByRole('button', { name: 'Next' }).waitFor()
      const first = await compare(page, real)
      ok(first.words[1]?.includes('Question 1 of 2'), 'It says how far it is')
      ok(first.words[1]?.includes('required'), 'It says so in a word')
      await page.bringToFront()
      await check('preview of a scale')
      for (const one of [phone, real]) await one.getByRole('radio', { name: '9', exact: true }).click()
      for (const one of [phone, real]) await one.getByText('How did you find us?').waitFor()
      const second = await compare(page, real)
      deepEqual(second.perRow, [1, 1])
      equal((await client.responses.list({ team_id: team.id, project_id: project.id, survey_id })).results.length, 0)
      for (const one of [phone, real]) await one.getByRole('button', { name: 'Send' }).click()
      for (const one of [phone, real]) await one.getByRole('heading', { name: 'Thank you' }).waitFor()
      equal(await phone.getByRole('main').ariaSnapshot(), await real.getByRole('main').ariaSnapshot())
      await page.waitForTimeout(500)
      // The preview sends nothing.
      equal((await client.responses.list({ team_id: team.id, project_id: project.id, survey_id })).results.length, 1)
      await page.getByRole('button', { name: 'Start again' }).click()
      await phone.getByText('How likely are you').waitFor()
      await typeInEditor(page)
    },
  },
  {
    name: 'previews: a question that the answers skip is shown while it is edited, and the editor follows the preview',
    run: async ({ page, client, team, project, open }) => {
      const ref = { team_id: team.id, project_id: project.id }
      const show_if = { match: 'all' as const, rules: [{ ref: 'happy', op: 'equals' as const, value: false }] }
      const { id } = await client.surveys.create({
        ...{ ...ref, name: 'Launch' },
        questions: [
          { type: 'boolean', ref: 'happy', title: 'Are you happy?', required: true },
          { type: 'long_text', ref: 'why', title: 'Why not?', show_if },
        ],
      })
      await open(`surveys/${id}/edit`)
      const phone = page.frameLocator(PREVIEW)
      const note = page.getByText('The answers so far skip this question.')
      await page.getByRole('button', { name: 'Question 2.' }).click()
      await note.waitFor({ state: 'attached' })
      await showPreview(page)
      await phone.getByText('Why not?').waitFor()
      await phone.getByRole('button', { name: 'Back' }).click()
      await note.waitFor({ state: 'detached' })
      await phone.getByRole('radio', { name: 'No' }).click()
      await phone.getByText('Why not?').waitFor()
      await showPreview(page, 'Edit')
      equal(await page.getByRole('textbox', { name: 'Question', exact: true }).inputValue(), 'Why not?')
    },
  },
  {
    name: 'previews: a wall looks in the editor as on a website, saved or not',
    run: async (fixture) => {
      const { page, client, team, project, open, check } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      await client.publicKeys.create({ ...ref, label: 'Form' })
      await addWords(fixture, 'Ada Lovelace', { featured: true, excerpt: 'Saved us a week' })
      for (const name of ['Joan Clarke', 'Katherine Johnson']) await addWords(fixture, name, {})
      await open('widgets/new')
      await page.getByLabel('Name').fill('Home page')
      await page.getByRole('region', { name: 'Preview' }).getByText('Joan Clarke').waitFor()
      const unsaved = await seenOfWall(page)
      await check('a wall that is not saved')
      await page.getByRole('button', { name: 'Create the widget' }).click()
      await page.getByRole('heading', { name: 'Put it on your website' }).waitFor()
      const [widget] = (await client.widgets.list(ref)).results
      const website = await websiteWith(fixture, widget?.id ?? '')
      const real = await seenOfWall(website)
      deepEqual(unsaved, real)
      deepEqual(await seenOfWall(page), real)
      const [featured, other] = real.cards
      ok(featured?.backgroundColor !== other?.backgroundColor, 'A featured card has a tint')
      deepEqual(
        real.marks.map(([text]) => text),
        ['Saved us a week'],
      )
      await website.close()
      const asked: string[] = []
      page.on('request', (request) => request.url().includes('/api/public/') && asked.push(request.url()))
      await open('widgets')
      // Small, and out of reach: the only way on is the link of the card.
      const thumbnail = page.getByRole('listitem').filter({ hasText: 'Home page' }).locator('[inert] earshot-wall')
      await thumbnail.getByText('Joan Clarke').waitFor()
      equal(await page.getByRole('button', { name: 'Read more' }).count(), 0)
      equal(asked.length, 1)
      await check('the list with a thumbnail')
    },
  },
]

async function compare(page: Page, real: Page): Promise<SeenOfSurvey> {
  const frame = frameOf(page)
  // A click leaves the pointer over a button, in one of the two.
  for (const one of [page, real]) await one.mouse.move(0, 0)
  for (const one of [frame, real]) await one.evaluate(SETTLED)
  const seen = await frame.evaluate<SeenOfSurvey>(SEEN_OF_SURVEY)
  const expected = await real.evaluate<SeenOfSurvey>(SEEN_OF_SURVEY)
  deepEqual(seen.parts, expected.parts)
  deepEqual(seen, expected)
  return seen
}

function frameOf(page: Page): Frame {
  const frame = page.frames().find((one) => one.url().includes('/s/preview'))
  if (!frame) throw new Error('There is no preview')
  return frame
}

async function sizeOfPreview(page: Page): Promise<{ width: number; height: number }> {
  return frameOf(page).evaluate('({ width: innerWidth, height: innerHeight })')
}

/** On a phone, the preview takes the place of the editor. */
async function showPreview(page: Page, name: 'Preview' | 'Edit' = 'Preview'): Promise<void> {
  const toggle = page.getByRole('button', { name, exact: true })
  await page.locator(PREVIEW).waitFor({ state: 'attached' })
  if (await toggle.isVisible()) await toggle.click()
}

/** Each letter is in the preview at once, and the focus stays where somebody types. */
async function typeInEditor(page: Page): Promise<void> {
  await showPreview(page, 'Edit')
  await page.getByRole('button', { name: 'Question 2.' }).click()
  const title = page.getByRole('textbox', { name: 'Question', exact: true })
  await title.press('End')
  await title.pressSequentially(' Tell us.')
  equal(await title.inputValue(), 'How did you find us? Tell us.')
  await page.frameLocator(PREVIEW).getByText('How did you find us? Tell us.').waitFor({ state: 'attached' })
}

async function publishSurvey({ client, team, project }: Fixture): Promise<string> {
  const ref = { team_id: team.id, project_id: project.id }
  const options = [
    { value: 'friend', label: 'A friend' },
    { value: 'search', label: 'A search engine' },
  ]
  const { id } = await client.surveys.create({
    ...{ ...ref, name: 'Launch', thank_you_text: 'We read every answer.' },
    questions: [
      {
        ...{ type: 'nps', ref: 'nps', title: 'How likely are you to recommend us?', description: 'To a colleague, say.', required: true },
        ...{ low_label: 'Not at all', high_label: 'Very' },
      },
      { type: 'single_choice', ref: 'found', title: 'How did you find us?', options },
    ],
  })
  await client.surveys.publish({ ...ref, survey_id: id })
  return id
}

async function addWords({ client, team, project }: Fixture, name: string, fields: { featured?: boolean; excerpt?: string }): Promise<void> {
  const ref = { team_id: team.id, project_id: project.id }
  const said = { body: 'Saved us a week. We would do it again.', rating: 5, author: { name }, consent: { granted: true } }
  const { id } = await client.testimonials.create({ ...ref, ...said, ...fields })
  await client.submissions.approve({ ...ref, submission_id: id })
}

async function seenOfWall(page: Page): Promise<SeenOfWall> {
  await page.getByText('Joan Clarke').waitFor()
  await page.mouse.move(0, 0)
  await page.evaluate(SETTLED)
  return page.evaluate<SeenOfWall>(SEEN_OF_WALL)
}

/** A website of somebody else, with as much room for the widget as the preview has. */
async function websiteWith({ page, context, url }: Fixture, widgetId: string): Promise<Page> {
  const width = (await page.locator('earshot-wall').boundingBox())?.width
  const website = await context.newPage()
  const address = `${url}/a-website`
  await website.route(address, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><html lang="en"><body style="width:${width}px"><script src="${url}/embed.js" async></script><earshot-wall widget="${widgetId}"></earshot-wall>`,
    }),
  )
  await website.goto(address)
  return website
}
