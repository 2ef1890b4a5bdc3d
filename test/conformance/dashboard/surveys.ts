import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Fixture, Flow } from './fixture.ts'

/** Saving waits for a pause in typing. */
const SAVED_MS = 30_000

export const surveysFlows: readonly Flow[] = [
  {
    name: 'a survey goes from a draft to its NPS',
    run: async (fixture) => {
      const { page, open, check } = fixture
      await open('surveys')
      await page.getByRole('heading', { name: 'No survey yet' }).waitFor()
      await check('no surveys')
      const survey_id = await createBlank(fixture, 'Launch')
      await addQuestion(page, 'NPS')
      await page.getByRole('checkbox', { name: 'Required' }).check()
      await addQuestion(page, 'Long text')
      await page.getByRole('textbox', { name: 'Question', exact: true }).fill('What should we do better?')
      await page.getByRole('button', { name: 'Add a condition' }).click()
      await page.getByLabel('Comparison of condition 1').selectOption({ label: 'is at most' })
      await page.getByLabel('Value of condition 1').selectOption('6')
      await addQuestion(page, 'One choice')
      await page.getByRole('textbox', { name: 'Question', exact: true }).fill('How did you find us?')
      await page.getByRole('textbox', { name: 'Choice 1', exact: true }).fill('A friend')
      await page.getByRole('textbox', { name: 'Choice 2', exact: true }).fill('A search engine')
      await check('builder')
      await saved(page)
      await skipInPreview(page)
      await publish(page, check)
      const survey = await fixture.client.surveys.retrieve(refOf(fixture, survey_id))
      assert.equal(survey.status, 'active')
      assert.deepEqual(
        survey.questions.map(({ type, show_if }) => [type, show_if?.rules]),
        [
          ['nps', undefined],
          ['long_text', [{ ref: 'nps', op: 'lte', value: 6 }]],
          ['single_choice', undefined],
        ],
      )
      await answer(fixture, survey_id, [10, 9, 2])
      await page.getByRole('link', { name: 'Results' }).click()
      await page.getByRole('img', { name: 'Net Promoter Score: 33.3' }).waitFor()
      await page.getByText('The import was slow').waitFor()
      await check('results')
      await page.getByRole('link', { name: 'Detractors' }).click()
      await page.getByRole('list', { name: 'Responses' }).getByRole('link').click()
      await page.getByRole('complementary', { name: 'Response' }).getByText('What should we do better?').waitFor()
      await check('response')
      await page.getByRole('button', { name: 'Delete response' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete response' }).click()
      await page.getByText('No response fits these filters').waitFor()
      assert.equal((await fixture.client.responses.list(refOf(fixture, survey_id))).results.length, 2)
    },
  },
  {
    name: 'a survey is exported as CSV',
    run: async (fixture) => {
      const survey_id = await createByApi(fixture)
      await answer(fixture, survey_id, [9, 4])
      await fixture.open(`surveys/${survey_id}/responses?group=detractors`)
      await fixture.page.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([
        fixture.page.waitForEvent('download'),
        fixture.page.getByRole('menuitem', { name: 'CSV' }).click(),
      ])
      const lines = (await textOf(download)).trim().split('\r\n')
      assert.equal(lines.length, 2)
      assert.match(lines[0] ?? '', /answers\.nps/)
    },
  },
  {
    name: 'a survey is translated beside its own texts',
    run: async (fixture) => {
      const { page } = fixture
      const survey_id = await createByApi(fixture, 'draft')
      await fixture.open(`surveys/${survey_id}/edit?tab=translations`)
      await page.getByLabel('Add a language').selectOption('de')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const german = page.getByRole('region', { name: 'German' })
      await german.getByText('3 texts are missing.').waitFor()
      await fixture.check('missing translations')
      await german.getByRole('textbox', { name: 'Question in German: How likely' }).fill('Wie wahrscheinlich ist es?')
      await page.getByRole('button', { name: 'German 33%' }).waitFor()
      await preview(fixture).getByText('Wie wahrscheinlich ist es?').waitFor({ state: 'attached' })
      await saved(page)
      const { translations } = await fixture.client.surveys.retrieve(refOf(fixture, survey_id))
      assert.deepEqual(translations, { de: { questions: { nps: { title: 'Wie wahrscheinlich ist es?' } } } })
    },
  },
  {
    name: 'questions are moved by keyboard alone',
    run: async (fixture) => {
      const { page } = fixture
      const survey_id = await createByApi(fixture, 'draft')
      await fixture.open(`surveys/${survey_id}/edit`)
      const down = page.getByRole('button', { name: 'Move question 1 down' })
      await down.waitFor()
      await down.focus()
      await page.keyboard.press('Enter')
      await page.getByText('is now question 2 of 3').waitFor({ state: 'attached' })
      // The focus goes with the question.
      await page.keyboard.press('Enter')
      await page.getByText('is now question 3 of 3').waitFor({ state: 'attached' })
      await page.getByText('Not saved: correct what is marked').waitFor()
      await page.getByRole('button', { name: 'Question 1. What should we do better?' }).press('Enter')
      await page.getByText('comes later now').waitFor()
      await fixture.check('condition on a later question')
      await page.getByRole('button', { name: 'Remove condition 1' }).press('Enter')
      await saved(page)
      const { questions } = await fixture.client.surveys.retrieve(refOf(fixture, survey_id))
      assert.deepEqual(
        questions.map(({ ref }) => ref),
        ['better', 'found', 'nps'],
      )
    },
  },
  {
    name: 'a published survey changes only when its author says so, is closed and opened again',
    run: async (fixture) => {
      const { page } = fixture
      const survey_id = await createByApi(fixture)
      await fixture.open(`surveys/${survey_id}/edit`)
      await page.getByRole('button', { name: 'Question 2. What should we do better?' }).click()
      await page.getByRole('textbox', { name: 'Question', exact: true }).fill('What is missing?')
      await page.getByText('Respondents do not see your changes yet.').waitFor()
      await page.reload()
      await page.getByText('Your changes of an earlier visit are here again.').waitFor()
      assert.equal((await fixture.client.surveys.retrieve(refOf(fixture, survey_id))).version, 1)
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Version 2').waitFor()
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      await page.getByRole('button', { name: 'Close survey' }).click()
      await page.getByText('Closed', { exact: true }).waitFor()
      await fixture.check('closed survey')
      assert.equal((await fixture.client.surveys.retrieve(refOf(fixture, survey_id))).status, 'closed')
      await page.getByRole('button', { name: 'Reopen' }).click()
      await page.getByRole('button', { name: 'Reopen now' }).click()
      await page.getByRole('heading', { name: 'Share the survey' }).waitFor()
      assert.equal((await fixture.client.surveys.retrieve(refOf(fixture, survey_id))).status, 'active')
    },
  },
  {
    name: 'two authors of a survey lose nothing',
    run: async (fixture) => {
      const { page } = fixture
      const survey_id = await createByApi(fixture, 'draft')
      const ref = refOf(fixture, survey_id)
      await fixture.open(`surveys/${survey_id}/edit?tab=settings`)
      await page.getByLabel('Thank-you text').waitFor()
      await page.context().setOffline(true)
      await page.getByLabel('Thank-you text').fill('Mine')
      await page.getByText('Not saved: no connection').waitFor({ timeout: SAVED_MS * 4 })
      await fixture.client.surveys.update({ ...ref, thank_you_text: 'Theirs' })
      await page.context().setOffline(false)
      await page.reload()
      await page.getByText('Someone else edited this survey').waitFor()
      await fixture.check('conflict')
      await page.getByRole('button', { name: 'Keep mine' }).click()
      await saved(page)
      assert.equal((await fixture.client.surveys.retrieve(ref)).thank_you_text, 'Mine')
      // Nor when they save while this page's own request is on its way.
      const meanwhile = () => fixture.client.surveys.update({ ...ref, thank_you_text: 'In between' })
      await page.route(`**/surveys/${survey_id}/`, (route) => meanwhile().then(() => route.continue()), { times: 1 })
      await page.getByLabel('Thank-you text').fill('Mine again')
      await page.getByText('Someone else edited this survey').waitFor()
      fixture.forgive('status of 409')
      assert.equal((await fixture.client.surveys.retrieve(ref)).thank_you_text, 'In between')
    },
  },
  {
    name: 'a viewer sees surveys and changes nothing',
    run: async (fixture) => {
      const survey_id = await createByApi(fixture)
      await answer(fixture, survey_id, [9])
      const { page } = await fixture.colleague('viewer')
      await page.goto(`${fixture.url}/app/${fixture.team.slug}/${fixture.project.slug}/surveys/${survey_id}/edit`)
      await page.getByText('Members of the team can change it.').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add a question' }).count(), 0)
      await page.getByRole('link', { name: 'Responses' }).click()
      await page.getByRole('list', { name: 'Responses' }).getByRole('link').click()
      await page.getByRole('term').getByText('Channel').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Delete response' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Export' }).count(), 0)
    },
  },
  {
    name: 'a survey is duplicated and deleted from the list',
    run: async (fixture) => {
      const { page, client, team, project } = fixture
      await createByApi(fixture)
      await fixture.open('surveys')
      await page.getByRole('button', { name: 'Actions for Launch' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate' }).click()
      await page.getByRole('heading', { name: 'Launch (copy)' }).waitFor()
      await page.getByRole('link', { name: 'All surveys' }).click()
      await page.getByRole('button', { name: 'Actions for Launch (copy)' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete survey' }).click()
      await page.getByRole('button', { name: 'Actions for Launch (copy)' }).waitFor({ state: 'detached' })
      await fixture.check('list of surveys')
      const { results } = await client.surveys.list({ team_id: team.id, project_id: project.id })
      assert.deepEqual(
        results.map(({ name }) => name),
        ['Launch'],
      )
    },
  },
]

function refOf({ team, project }: Fixture, survey_id: string) {
  return { team_id: team.id, project_id: project.id, survey_id }
}

async function createBlank({ page }: Fixture, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New survey' }).first().click()
  await page.getByRole('radio', { name: 'Blank survey' }).check()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Create survey' }).click()
  await page.getByRole('heading', { name: 'What do you want to know?' }).waitFor()
  return new URL(page.url()).pathname.split('/').at(-2) ?? ''
}

async function createByApi(fixture: Fixture, status: 'draft' | 'active' = 'active'): Promise<string> {
  const { team, project, client } = fixture
  const { id } = await client.surveys.create({
    ...{ team_id: team.id, project_id: project.id, name: 'Launch' },
    questions: [
      { type: 'nps', ref: 'nps', title: 'How likely are you to recommend us?' },
      {
        type: 'long_text',
        ref: 'better',
        title: 'What should we do better?',
        show_if: { match: 'all', rules: [{ ref: 'nps', op: 'lte', value: 6 }] },
      },
      { type: 'number', ref: 'found', title: 'How many people work with you?' },
    ],
  })
  if (status === 'active') await client.surveys.publish(refOf(fixture, id))
  return id
}

async function addQuestion(page: Page, type: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a question' }).click()
  await page.getByRole('menuitem', { name: type, exact: true }).click()
  await page.getByRole('textbox', { name: 'Question', exact: true }).waitFor()
}

async function saved(page: Page): Promise<void> {
  await page.getByText('Saved', { exact: true }).waitFor({ timeout: SAVED_MS })
}

function preview({ page }: Pick<Fixture, 'page'>) {
  return page.frameLocator('iframe[title="The survey as respondents see it"]')
}

/** A good score leads past the question for unhappy people. */
async function skipInPreview(page: Page): Promise<void> {
  const toggle = page.getByRole('button', { name: 'Preview', exact: true })
  if (await toggle.isVisible()) await toggle.click()
  const phone = preview({ page })
  await page.getByRole('button', { name: 'Start again' }).click()
  await phone.getByRole('button', { name: 'Next' }).click()
  await phone.getByText('Please answer this question.').waitFor()
  // A choice leads on by itself.
  await phone.getByRole('radio', { name: '10' }).click()
  await phone.getByText('How did you find us?').waitFor()
  await phone.getByRole('button', { name: 'Back' }).click()
  await phone.getByRole('radio', { name: '2', exact: true }).click()
  await phone.getByText('What should we do better?').waitFor()
}

async function publish(page: Page, check: Fixture['check']): Promise<void> {
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('3 questions, all complete.').waitFor()
  await check('check list')
  await page.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
  await check('share box')
  await page.getByRole('button', { name: 'Close', exact: true }).first().press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function answer(fixture: Fixture, survey_id: string, scores: readonly number[]): Promise<void> {
  const ref = refOf(fixture, survey_id)
  const { questions } = await fixture.client.surveys.retrieve(ref)
  const idOf = (type: string) => questions.find((question) => question.type === type)?.id ?? ''
  for (const score of scores) {
    const words = score <= 6 ? [{ question_id: idOf('long_text'), value: 'The import was slow' }] : []
    await fixture.client.responses.create({ ...ref, answers: [{ question_id: idOf('nps'), value: score }, ...words] })
  }
}

async function textOf(download: { createReadStream: () => Promise<AsyncIterable<Buffer | string>> }): Promise<string> {
  let text = ''
  for await (const chunk of await download.createReadStream()) text += chunk.toString()
  return text
}
