import { NPS, SOURCE } from '../support/questions.ts'
import { until } from '../support/until.ts'
import { keysOf } from './dashboard/keys.ts'
import { PHONE, type Visited, type Visitors, WIDE } from './visitor-browser.ts'

const RECORDED_MS = 1_000
const UPLOAD_LIMIT_MS = 60_000

/** Visits each page without a pointer, on a phone and a wide screen, from the top of the page on: nothing is out of the reach of Tab. */
export async function checkKeys(visitors: Visitors, visited: Visited): Promise<void> {
  const survey = await publishSurvey(visited)
  const visit = async (look: Look) => {
    await writeAndWithdraw(visitors, visited, look)
    await record(visitors, visited, look)
    await answer(visitors, survey, look)
  }
  await Promise.all([visit(PHONE), visit(WIDE)])
}

type Look = typeof PHONE | typeof WIDE

async function writeAndWithdraw({ visitor }: Visitors, { service, team, form }: Visited, look: Look): Promise<void> {
  const { context, page } = await visitor({ ...look, locale: 'en' })
  const { go, isAt, press, tabTo, write } = keysOf(page)
  const body = `Without a pointer, ${look.viewport.width} px.`
  await page.goto(form)
  await tabTo(/1 of 5 stars/)
  await press('ArrowRight')
  await press('ArrowRight')
  await write('What changed for you?', body)
  await go('Send')
  await isAt('Your name')
  await page.keyboard.type('Ada')
  await tabTo(/^I agree that my words may be published/)
  await press('Space')
  await go('Send')
  await page.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
  const sent = async () => (await service.client(team.token).submissions.list(team.project)).results.find((one) => one.body === body)
  await until('it arrived', async () => (await sent())?.rating === 3)
  await go('Withdraw consent')
  await page.getByRole('button', { name: 'Withdraw consent' }).waitFor()
  await go('Withdraw consent')
  await page.getByRole('heading', { name: 'Your consent is withdrawn' }).waitFor()
  await until('the consent is withdrawn', async () => typeof (await sent())?.consent.revoked_at === 'string')
  await context.close()
}

async function record({ visitor }: Visitors, { service, team, form }: Visited, look: Look): Promise<void> {
  const { context, page } = await visitor({ ...look, locale: 'en' })
  const { enter, isAt, press, tabTo, write } = keysOf(page)
  const name = `Priya, ${look.viewport.width} px`
  await page.goto(form)
  await tabTo('Write')
  await press('ArrowRight')
  await enter('Open the camera')
  await isAt('Start recording')
  await press('Escape')
  await isAt('Open the camera')
  await press('Enter')
  await isAt('Start recording')
  await press('Enter')
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  await page.waitForTimeout(RECORDED_MS)
  await enter('Stop recording')
  await enter('Use this video')
  await isAt('Your recording')
  await page.getByText('Your video is ready.').waitFor()
  await enter('Remove the video')
  await isAt('Open the camera')
  await press('Enter')
  await isAt('Start recording')
  await press('Enter')
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  await page.waitForTimeout(RECORDED_MS)
  await enter('Stop recording')
  await enter('Use this video')
  await write('Your name', name)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: `Thank you, ${name}.` }).waitFor({ timeout: UPLOAD_LIMIT_MS })
  const { videos } = service.client(team.token)
  await until('the video arrived', async () => (await videos.list(team.project)).results.some(({ draft }) => draft.author.name === name))
  await context.close()
}

async function publishSurvey({ service, team }: Visited) {
  const { responses, surveys } = service.client(team.token)
  // What the API takes as it is sent.
  const questions = [NPS, { ref: 'words', type: 'long_text', title: 'What is missing?' }, SOURCE] as never
  const { id: survey_id } = await surveys.create({ ...team.project, name: 'Keys', questions })
  await surveys.publish({ ...team.project, survey_id })
  return {
    address: `${service.url}/s/${survey_id}`,
    answers: async () =>
      (await responses.list({ ...team.project, survey_id })).results.map(({ answers }) => answers.map(({ value }) => value)),
  }
}

/** By Tab, arrows and buttons alone, without the keys of answers; one step back. */
async function answer({ visitor }: Visitors, survey: Awaited<ReturnType<typeof publishSurvey>>, look: Look): Promise<void> {
  const { context, page } = await visitor({ ...look, locale: 'en' })
  const { enter, press, tabTo } = keysOf(page)
  const words = `Dark mode, ${look.viewport.width} px`
  await page.goto(survey.address)
  await page.getByRole('group', { name: NPS.title }).waitFor()
  await tabTo(/^0/)
  await press('ArrowRight')
  await enter('Next')
  await page.getByRole('group', { name: 'What is missing?' }).waitFor()
  await enter('Back')
  await page.getByRole('group', { name: NPS.title }).waitFor()
  await tabTo(/^1/)
  await enter('Next')
  await page.getByRole('group', { name: 'What is missing?' }).waitFor()
  await tabTo(/What is missing/)
  await page.keyboard.type(words)
  await enter('Next')
  await page.getByRole('group', { name: SOURCE.title }).waitFor()
  await tabTo(/A friend$/)
  await press('Space')
  await enter('Send answers')
  await until('the answers arrived', async () =>
    (await survey.answers()).some((values) => JSON.stringify(values) === JSON.stringify([1, words, 'friend'])),
  )
  await context.close()
}
