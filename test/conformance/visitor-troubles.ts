import type { Locator, Page } from 'playwright-core'
import { PHONE, slowDown, type Visited, type Visitors, WIDE, WITHOUT_STORAGE } from './visitor-browser.ts'

const SLOW_3G = { kilobits: 400, latencyMs: 400, cpu: 1 }
const DAY_MS = 86_400_000
/** What a person does from the open page to the receipt: touches, and fields that are typed into. */
const MOST_TAPS = { text: 5, video: 7 }

/** Counts what moves without anybody having touched the page. */
const WATCH_SHIFT = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value
  }).observe({ type: 'layout-shift', buffered: true })`

/** Visitors whose browser keeps nothing, whose clock is wrong, whose network is slow, and who have a minute. */
export async function checkTroubles(visitors: Visitors, visited: Visited): Promise<void> {
  const survey = await publishSurvey(visited)
  await keepNothing(visitors, visited, survey)
  await haveWrongClock(visitors, visited, survey)
  await keepStill(visitors, visited, survey)
  await countTaps(visitors, visited)
}

/** Resolves to the address of a survey that asks for a score and a reason. */
async function publishSurvey({ service, team }: Visited): Promise<string> {
  const client = service.client(team.token)
  const questions = [
    { type: 'nps', ref: 'nps', title: 'How likely are you to recommend us?' },
    { type: 'short_text', ref: 'why', title: 'Why?' },
  ] as const
  const { id: survey_id } = await client.surveys.create({ ...team.project, name: 'Troubles', questions: [...questions] })
  await client.surveys.publish({ ...team.project, survey_id })
  return `${service.url}/s/${survey_id}`
}

/** Words, a video and answers are sent although the browser keeps nothing. */
async function keepNothing({ visitor, require }: Visitors, { service, team, form }: Visited, survey: string): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.addInitScript(WITHOUT_STORAGE)
  await page.goto(form)
  await page.getByLabel('What changed for you?').fill('Kept nowhere.')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
  await page.goto(form)
  await record(page)
  await page.getByLabel('Your name').fill('Grace')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Thank you, Grace.' }).waitFor()
  await answer(page, survey)
  require('a cookie was set', (await context.cookies()).length === 0)
  const client = service.client(team.token)
  const { results } = await client.submissions.list({ ...team.project, kind: 'text' })
  require('the words did not arrive', results[0]?.body === 'Kept nowhere.')
  const [video] = (await client.videos.list(team.project)).results
  require('the video did not arrive', video?.draft.author.name === 'Grace')
  await context.close()
}

/** Years before and behind, at both ends of the date line: nothing is refused, kept words come back, and none are kept for ever. */
async function haveWrongClock({ visitor, require }: Visitors, { form }: Visited, survey: string): Promise<void> {
  for (const [days, timezoneId] of [
    [-1_500, 'Pacific/Pago_Pago'],
    [1_500, 'Pacific/Kiritimati'],
    [3, 'Asia/Kathmandu'],
  ] as const) {
    const { context, page } = await visitor({ ...WIDE, locale: 'en', timezoneId })
    await page.clock.install({ time: Date.now() + days * DAY_MS })
    await page.goto(form)
    await page.getByLabel('What changed for you?').fill(`Sent ${days} days off.`)
    await page.getByLabel('Your name').fill('Ada')
    await page.reload()
    await page.getByText('What you typed last time is still here.').waitFor()
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
    await page.getByRole('link', { name: 'Withdraw consent' }).click()
    await page.getByRole('button', { name: 'Withdraw consent' }).click()
    await page.getByRole('heading', { name: 'Your consent is withdrawn' }).waitFor()
    await answer(page, survey)
    // A clock that was ahead has left words with a time to come.
    await page.goto(form)
    await page.getByLabel('Your name').fill('Grace')
    await page.clock.setSystemTime(Date.now() + (days - 30) * DAY_MS)
    await page.reload()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    require(`${days} days off: words of another time are shown`, (await page.getByLabel('Your name').inputValue()) === '')
    await context.close()
  }
}

/** On a slow network nothing moves while the page becomes complete. */
async function keepStill({ visitor, require }: Visitors, { form }: Visited, survey: string): Promise<void> {
  for (const size of [PHONE, WIDE])
    for (const address of [form, survey]) {
      const { context, page } = await visitor({ ...size, locale: 'en' })
      await page.addInitScript(WATCH_SHIFT)
      await slowDown(page, SLOW_3G)
      await page.goto(address, { waitUntil: 'networkidle' })
      await page.locator(address === form ? '#way:not([hidden])' : '.survey[data-move]').waitFor()
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      const shift = await page.evaluate<number>('shift')
      require(`${address} moves by ${shift} at ${size.viewport.width} px`, shift < 0.001)
      await context.close()
    }
}

/** A minute is enough for words or a video on a phone: the fewer touches the better. */
async function countTaps({ visitor, require }: Visitors, { form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.goto(form)
  const text = await counting(async (tap) => {
    await tap(page.locator('.five label').nth(4))
    await tap(page.getByLabel('What changed for you?'))
    await page.keyboard.type('It saves us a day each week.')
    await tap(page.getByLabel('Your name'))
    await page.keyboard.type('Ada')
    await tap(page.getByRole('checkbox'))
    await tap(page.getByRole('button', { name: 'Send' }))
    await page.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
  })
  await page.goto(form)
  const video = await counting(async (tap) => {
    await tap(page.getByText('Record a video'))
    await tap(page.getByRole('button', { name: 'Open the camera' }))
    await tap(page.getByRole('button', { name: 'Start recording' }))
    await tap(page.getByRole('button', { name: 'Stop recording' }))
    await tap(page.getByRole('button', { name: 'Use this video' }))
    await tap(page.getByLabel('Your name'))
    await page.keyboard.type('Grace')
    await tap(page.getByRole('button', { name: 'Send' }))
    await page.getByRole('heading', { name: 'Thank you, Grace.' }).waitFor()
  })
  console.log(`From the open page to the receipt: ${text} touches for stars, words, a name and consent, ${video} for a video`)
  require(`words took ${text} touches`, text <= MOST_TAPS.text)
  require(`a video took ${video} touches`, video <= MOST_TAPS.video)
  await context.close()
}

/** Resolves to the number of touches in some work. Whoever touches a field types into it. */
async function counting(work: (tap: (target: Locator) => Promise<void>) => Promise<void>): Promise<number> {
  let taps = 0
  await work(async (target) => {
    taps += 1
    await target.tap()
  })
  return taps
}

async function record(page: Page): Promise<void> {
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByRole('button', { name: 'Start recording' }).click()
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await page.getByRole('button', { name: 'Use this video' }).click()
}

async function answer(page: Page, survey: string): Promise<void> {
  await page.goto(survey)
  await page.getByRole('radio', { name: '9', exact: true }).check()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByLabel('Why?').fill('It saves us a day each week.')
  await page.getByRole('button', { name: 'Send answers' }).click()
  await page.getByText('Thank you! Your answers have arrived.').waitFor()
}
