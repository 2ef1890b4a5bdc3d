import type { Page } from 'playwright-core'
import { NPS } from '../support/questions.ts'
import { openHost } from './embed-host.ts'
import { PHONE, type Visited, type Visitors, WIDE } from './visitor-browser.ts'

const UNHAPPY = { match: 'all', rules: [{ ref: 'recommend', op: 'lte', value: 6 }] }
const HAPPY = { match: 'all', rules: [{ ref: 'recommend', op: 'gte', value: 9 }] }
/** Who is unhappy is asked two questions more, who is happy one, and all others none. */
const QUESTIONS = [
  NPS,
  { ref: 'why', type: 'long_text', title: 'What is missing?', show_if: UNHAPPY },
  { ref: 'call', type: 'boolean', title: 'May we call you?', show_if: UNHAPPY },
  { ref: 'quote', type: 'boolean', title: 'May we quote you?', show_if: HAPPY },
]
/** Longer than a choice is seen before the next question comes. */
const SEEN_MS = 800
const FOCUSED = "(document.activeElement.name ?? '') + (document.activeElement.dataset.ref ?? '') || document.activeElement.localName"

/** How the page leads from question to question: by keys, by the browser's way back, over a reload, and with an honest progress. */
export async function checkSurveySteps(visitors: Visitors, { service, team }: Visited): Promise<void> {
  const { surveys } = service.client(team.token)
  // What the API takes as it is sent.
  const { id: survey_id } = await surveys.create({ ...team.project, name: 'Steps', questions: QUESTIONS as never })
  await surveys.publish({ ...team.project, survey_id })
  const address = `${service.url}/s/${survey_id}`
  await answerAtOnce(visitors, address)
  await followProgress(visitors, address)
  await goBack(visitors, address)
  await leaveFocus(visitors, address)
}

/** Keys answer the first question without a click; a phone shows no keyboard and does not scroll. */
async function answerAtOnce({ visitor, require }: Visitors, address: string): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  await page.goto(address)
  await asked(page, NPS.title)
  // The question, not its first answer: a ring around 0 looks like a choice.
  require('the first question is not focused', (await page.evaluate<string>(FOCUSED)) === 'recommend')
  require('a choice is made by opening the page', (await page.locator(':checked').count()) === 0)
  await page.keyboard.press('3')
  await page.keyboard.press('Enter')
  await asked(page, 'What is missing?')
  await page.getByText('or press Ctrl + Enter').waitFor()
  await page.keyboard.type('Dark mode.')
  await page.keyboard.press('Control+Enter')
  await asked(page, 'May we call you?')
  // Where nothing has the focus, keys do nothing.
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('b')
  await page.keyboard.press('Enter')
  require('a letter chooses without the focus', (await page.locator('fieldset:not([hidden]) :checked').count()) === 0)
  require('Enter goes on without the focus', !(await page.getByText('Please answer this question.').isVisible()))
  // A click on the page itself gives the question its focus back.
  await page.mouse.click(5, 5)
  await page.keyboard.press('b')
  require('a letter is lost after a click beside the form', await page.getByRole('radio', { name: 'No' }).isChecked())
  await context.close()
  const phone = await visitor({ ...PHONE, isMobile: true, locale: 'en' })
  await phone.page.goto(address)
  await asked(phone.page, NPS.title)
  require('a phone focuses a field by itself', (await phone.page.evaluate<string>(FOCUSED)) === 'recommend')
  require('a phone scrolls by itself', (await phone.page.evaluate<number>('scrollY')) === 0)
  await phone.context.close()
}

/** Neither "1 of 1" nor "Send answers" while another question can come. */
async function followProgress({ visitor, require }: Visitors, address: string): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  const button = page.locator('#send')
  const says = async (progress: string, name: string) => {
    const found = `${await page.locator('#step').textContent()}, ${await button.textContent()}`
    require(`"${progress}, ${name}" is "${found}"`, found === `${progress}, ${name}`)
  }
  await page.goto(address)
  await asked(page, NPS.title)
  await says('Question 1 of up to 3', 'Next')
  await page.keyboard.press('8')
  await says('Question 1 of up to 3', 'Send answers')
  await page.keyboard.press('9')
  await says('Question 1 of up to 3', 'Next')
  await page.keyboard.press('Enter')
  await asked(page, 'May we quote you?')
  await says('Question 2 of 2', 'Send answers')
  await page.keyboard.press('a')
  await page.getByRole('button', { name: 'Back' }).click()
  await asked(page, NPS.title)
  await page.keyboard.press('6')
  await page.keyboard.press('Enter')
  await asked(page, 'What is missing?')
  await says('Question 2 of 3', 'Next')
  await context.close()
}

/** The browser's way back and forth goes through the questions, out of the survey at its beginning, and out of it after the end. */
async function goBack({ visitor, require }: Visitors, address: string): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  await page.goto(address.replace(/\/s\/.*/, '/api/v1/openapi.json'))
  await page.goto(address)
  await asked(page, NPS.title)
  await page.keyboard.press('2')
  await page.keyboard.press('Enter')
  await asked(page, 'What is missing?')
  await page.keyboard.type('Dark mode.')
  await page.goBack()
  await asked(page, NPS.title)
  await page.goForward()
  await asked(page, 'What is missing?')
  await page.reload()
  await asked(page, 'What is missing?')
  require('the answer is lost', (await page.locator('[name="q.why"]').inputValue()) === 'Dark mode.')
  // Pressed twice, before the browser has gone back.
  await page.evaluate('back.click(); back.click()')
  await page.waitForTimeout(SEEN_MS)
  require('a double press of Back leaves the survey', page.url() === address)
  await asked(page, NPS.title)
  // What this answer hides cannot be reached any more.
  await page.keyboard.press('8')
  await page.goForward()
  await page.waitForTimeout(SEEN_MS)
  await asked(page, NPS.title)
  await page.keyboard.press('9')
  await page.keyboard.press('Enter')
  await asked(page, 'May we quote you?')
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await page.waitForTimeout(SEEN_MS)
  await page.goBack()
  require('the way back leads into a survey that was sent', page.url().endsWith('openapi.json'))
  await context.close()
}

/** A survey in a frame leaves focus, scroll position and history to the page around it. */
async function leaveFocus({ visitor, require }: Visitors, address: string): Promise<void> {
  using host = await openHost()
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  await page.goto(host.show({ body: `<input id="own" autofocus><iframe src="${address}?embed" width="600" height="600"></iframe>` }))
  const frame = page.frameLocator('iframe')
  await frame.getByRole('group', { name: NPS.title }).waitFor()
  await page.waitForTimeout(SEEN_MS)
  require('a frame takes the focus', (await page.evaluate<string>('document.activeElement.id')) === 'own')
  const before = await page.evaluate<number>('history.length')
  await frame.locator('label:has([value="2"])').click()
  await frame.getByRole('group', { name: 'What is missing?' }).waitFor()
  require('a frame writes into the history', (await page.evaluate<number>('history.length')) === before)
  await frame.getByRole('button', { name: 'Back' }).click()
  await frame.getByRole('group', { name: NPS.title }).waitFor()
  await context.close()
}

function asked(page: Page, title: string): Promise<void> {
  return page.getByRole('group', { name: title }).waitFor()
}
