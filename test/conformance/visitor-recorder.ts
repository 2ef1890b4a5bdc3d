import { until } from '../support/until.ts'
import { PHONE, type Visited, type Visitors } from './visitor-browser.ts'

/** Chooses among two cameras, counts down, and stops at the limit of a plan with short videos. */
export async function checkRecorder({ visitor, accessible }: Visitors, { form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.route(form, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    await route.fulfill({ response, body: text.replace(/"maxSeconds":\d+/, '"maxSeconds":3') })
  })
  await page.goto(form)
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  const camera = page.getByRole('combobox', { name: 'Camera' })
  await camera.waitFor()
  await accessible(page, 'choice of a camera')
  await camera.selectOption({ index: 1 })
  const chosen = await camera.inputValue()
  const used = "document.querySelector('video').srcObject.getVideoTracks()[0].getSettings().deviceId"
  await until('the chosen camera is used', async () => (await page.evaluate<string>(used)) === chosen)
  await page.getByRole('button', { name: 'Start recording' }).click()
  for (const second of ['3', '2', '1']) await page.locator('.count').getByText(second, { exact: true }).waitFor()
  await page.getByText('of 0:03').waitFor()
  // Nobody presses "Stop recording".
  await page.getByText('Length 0:03').waitFor()
  await page.getByRole('button', { name: 'Use this video' }).click()
  await page.getByText('Your video is ready.').waitFor()
  await page.getByRole('button', { name: 'Remove the video' }).click()
  await context.close()
}
