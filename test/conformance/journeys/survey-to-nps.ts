import { equal } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Company, Fixture, Journey } from './fixture.ts'

const SCORE = 'How likely are you to recommend us to a friend or colleague?'
const OWNER = 'Hanna Weiss'

/** From a template to a Net Promoter Score of real answers. */
export const surveyToNps: Journey = {
  name: 'survey-to-nps',
  tell: async (fixture) => {
    const company = await fixture.company({ team: 'Rowan Coffee', project: 'Rowan Coffee Club', people: [OWNER] })
    const page = await company.signIn(OWNER, 'surveys')
    await draft(fixture, page)
    const address = await publish(fixture, page)
    await answer(fixture, {
      address,
      screen: 'laptop',
      score: 10,
      question: 'What do you like best?',
      words: 'The tasting cards. I read them aloud.',
    })
    await answerOnPhone(fixture, address)
    await answer(fixture, { address, screen: 'laptop', score: 9, question: 'What do you like best?', words: 'It never comes late.' })
    await readResults(fixture, page)
    await expectResponses(company)
  },
}

async function draft({ shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New survey' }).first().click()
  await page.getByRole('radio', { name: 'Net Promoter Score' }).check()
  await page.getByRole('textbox', { name: 'Name' }).fill('After the third bag')
  await shoot(page, 'template')
  await page.getByRole('button', { name: 'Create survey' }).click()
  await page.getByRole('heading', { name: 'After the third bag' }).waitFor()
  await page.getByRole('button', { name: /^Question 2\. What should we do better\?/ }).click()
  await page.getByRole('textbox', { name: 'Question', exact: true }).fill('What should we brew better?')
  await page.getByText('Saved', { exact: true }).waitFor()
  await shoot(page, 'builder')
}

/** Resolves to the address of the survey. */
async function publish({ shoot }: Fixture, page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('4 questions, all complete.').waitFor()
  await page.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
  await page.getByText('The survey takes responses now.').waitFor({ state: 'detached' })
  await shoot(page, 'share')
  const address = (await page.getByRole('link', { name: 'Open it' }).getAttribute('href')) ?? ''
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return address
}

interface Answers {
  address: string
  screen: 'laptop' | 'phone'
  score: number
  question: string
  words: string
}

async function answer({ visit }: Fixture, { address, screen, score, question, words }: Answers): Promise<void> {
  const { page } = await visit(screen)
  await page.goto(address)
  await page.getByRole('group', { name: SCORE }).waitFor()
  await page.getByRole('button', { name: 'Next' }).focus()
  await page.keyboard.type(String(score))
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: question }).waitFor()
  await page.keyboard.type(words)
  await page.getByRole('button', { name: 'Send answers' }).click()
  await page.getByText('Thank you! We read every answer.').waitFor()
}

async function answerOnPhone({ visit, shoot }: Fixture, address: string): Promise<void> {
  const { page } = await visit('phone')
  await page.goto(address)
  await page.getByRole('group', { name: SCORE }).waitFor()
  await page.getByText('Question 1 of').waitFor()
  await shoot(page, 'first-question')
  await page.locator('label:has([name="q.nps"][value="5"])').tap()
  const question = page.getByRole('group', { name: 'What should we brew better?' })
  await question.waitFor()
  await question.getByRole('textbox').fill('The decaf tastes flat. I go back to the shop for it.')
  await shoot(page, 'second-question')
  await page.getByRole('button', { name: 'Send answers' }).tap()
  await page.getByText('Thank you! We read every answer.').waitFor()
}

async function readResults({ shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Results' }).click()
  await page.getByRole('img', { name: 'Net Promoter Score: 33.3' }).waitFor()
  await page.getByText('The decaf tastes flat. I go back to the shop for it.').waitFor()
  await shoot(page, 'results')
}

async function expectResponses({ client, project }: Company): Promise<void> {
  const [survey] = (await client.surveys.list(project)).results
  equal(survey?.status, 'active')
  const { results } = await client.responses.list({ ...project, survey_id: survey?.id ?? '' })
  equal(results.length, 3)
}
