import type { SurveyResponse } from '@earshot/contracts'
import { NPS, SOURCE, WHY } from '../support/questions.ts'
import { PHONE, type Visited, type Visitors, WIDE } from './visitor-browser.ts'

const options = ['api', 'cli', 'web'].map((value) => ({ value, label: value.toUpperCase() }))
const QUESTIONS = [
  NPS,
  WHY,
  SOURCE,
  { ref: 'uses', type: 'multiple_choice', title: 'What do you use?', options },
  { ref: 'email', type: 'email', title: 'Where can we write to you?' },
  { ref: 'stars', type: 'rating', title: 'How do you rate us?' },
]

/** Answers a survey from the keyboard alone, with a question that the answers hide; then with a finger, over a reload. */
export async function checkSurveyPage(visitors: Visitors, visited: Visited): Promise<void> {
  const { service, team } = visited
  const { surveys } = service.client(team.token)
  // What the API takes as it is sent.
  const { id: survey_id } = await surveys.create({
    ...team.project,
    name: 'NPS',
    questions: QUESTIONS as never,
    thank_you_text: 'Bless you!',
  })
  await surveys.publish({ ...team.project, survey_id })
  const address = `${service.url}/s/${survey_id}`
  const lastAnswers = async () => (await service.client(team.token).responses.list({ ...team.project, survey_id })).results[0]
  await answerByKeyboard(visitors, address, lastAnswers)
  await answerByTouch(visitors, address)
  await answerTwice(visitors, address)
  await answerAsTwoPeople(visitors, address)
  await surveys.close({ ...team.project, survey_id })
  const { context, page } = await visitors.visitor({ ...WIDE, locale: 'en' })
  await page.goto(address)
  await page.getByRole('heading', { name: 'This survey is closed' }).waitFor()
  await visitors.accessible(page, 'closed survey')
  await context.close()
}

async function answerByKeyboard(
  { visitor, accessible, require }: Visitors,
  address: string,
  lastAnswers: () => Promise<SurveyResponse | undefined>,
): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, colorScheme: 'dark', locale: 'en' })
  const at = (title: string) => page.getByRole('group', { name: title }).waitFor()
  await page.goto(`${address}?plan=pro`)
  await at(NPS.title)
  await accessible(page, 'first question')
  await page.getByRole('button', { name: 'Next' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Please answer this question.').waitFor()
  await accessible(page, 'unanswered question')
  await page.keyboard.press('1')
  await page.keyboard.press('0')
  require('1 and 0 do not choose 10', await page.getByRole('radio', { name: '10' }).isChecked())
  await page.keyboard.press('Enter')
  // A high score hides the question why.
  await at(SOURCE.title)
  await page.keyboard.press('b')
  await page.keyboard.press('Enter')
  await at('What do you use?')
  await page.keyboard.press('a')
  await page.keyboard.press('c')
  await accessible(page, 'choices')
  await page.keyboard.press('Enter')
  await at('Where can we write to you?')
  await page.keyboard.type('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('This is not an e-mail address.').waitFor()
  await page.keyboard.type('@example.com')
  await page.keyboard.press('Enter')
  await at('How do you rate us?')
  await page.keyboard.press('4')
  await accessible(page, 'stars of a survey')
  await page.keyboard.press('Enter')
  await page.getByText('Bless you!').waitFor()
  await accessible(page, 'end of a survey')
  const row = await lastAnswers()
  const values = row?.answers.map(({ value }) => value)
  require(`the answers are ${JSON.stringify(values)}`, JSON.stringify(values) === '[10,"web",["api","web"],"nobody@example.com",4]')
  require('the hidden field is lost', row?.hidden.plan === 'pro')
  await context.close()
}

async function answerByTouch({ visitor, accessible, require }: Visitors, address: string): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'ar' })
  await page.goto(address)
  await accessible(page, 'first question (ar)')
  await page.locator('label:has([name="q.recommend"][value="3"])').tap()
  const why = page.getByRole('group', { name: WHY.title })
  await why.waitFor()
  await page.locator('[name="q.why"]').fill('It is slow.')
  await page.reload()
  await why.waitFor()
  require('the answer is lost', (await page.locator('[name="q.why"]').inputValue()) === 'It is slow.')
  await page.locator('#back').tap()
  require('the first answer is lost', await page.locator('[name="q.recommend"][value="3"]').isChecked())
  await context.close()
}

/** Double clicks and keys that are held answer one question each. */
async function answerTwice({ visitor, require }: Visitors, address: string): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  const stays = async (title: string, what: string) => {
    await page.getByRole('group', { name: title }).waitFor()
    // Longer than a choice is seen before the next question comes.
    await page.waitForTimeout(800)
    require(`${what} skips a question`, await page.getByRole('group', { name: title }).isVisible())
  }
  const choice = page.locator('label:has([name="q.recommend"][value="3"])')
  const why = page.getByRole('textbox', { name: WHY.title })
  await page.goto(address)
  await choice.dblclick()
  await stays(WHY.title, 'a double click on an answer')
  await page.getByRole('button', { name: 'Next' }).dblclick()
  await stays(SOURCE.title, 'a double click on Next')
  await page.locator('#back').click()
  await page.locator('#back').click()
  await page.getByRole('radio', { name: '3' }).focus()
  for (let times = 0; times < 4; times += 1) await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await stays(WHY.title, 'a held Enter')
  require('a held Enter adds lines', (await why.inputValue()) === '')
  await context.close()
}

/** On one device, the draft of one person is not shown to another. */
async function answerAsTwoPeople({ visitor, require }: Visitors, address: string): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  const first = page.getByRole('group', { name: NPS.title })
  const why = page.getByRole('group', { name: WHY.title })
  await page.goto(`${address}?external_id=ada`)
  await page.locator('label:has([name="q.recommend"][value="3"])').click()
  await why.waitFor()
  await page.goto(`${address}?external_id=mei`)
  await first.or(why).waitFor()
  require("another person's draft is shown", (await first.isVisible()) && !(await page.getByText('What you typed').isVisible()))
  await page.goto(`${address}?external_id=ada`)
  await first.or(why).waitFor()
  require('the draft of a person is lost', await why.isVisible())
  await context.close()
}
