import { statSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { keptBytes, PHONE, slowDown, type Visited, type Visitors } from './visitor-browser.ts'

/** Chromium's own "Slow 3G", without its latency: the upload is slower than the recording. */
const SLOW_3G = { kilobits: 400, latencyMs: 100, cpu: 1 }
const RECORDED_MS = 6_000
const UPLOAD_LIMIT_MS = 60_000

/** Records with a fake camera: over a slow connection that is lost meanwhile, and over a reload in the middle of a recording. */
export async function checkVideoPage(visitors: Visitors, visited: Visited): Promise<void> {
  await recordOverLostConnection(visitors, visited)
  await reloadWhileRecording(visitors, visited)
  await checkRefusedCamera(visitors, visited)
  await failWhileRecording(visitors, visited)
  await retake(visitors, visited)
  await leaveRecordings(visitors, visited)
  await openAfterNewBuild(visitors, visited)
}

async function recordOverLostConnection({ visitor, accessible, require }: Visitors, { service, team, form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.goto(form)
  await page.getByText('Record a video').click()
  await accessible(page, 'video chosen')
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByRole('button', { name: 'Start recording' }).waitFor()
  await accessible(page, 'live camera')
  const setOffline = await slowDown(page, SLOW_3G)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  await accessible(page, 'recording')
  await page
    .locator('.sent')
    .getByText(/: [^0]/)
    .waitFor()
  await setOffline(true)
  await page.waitForTimeout(RECORDED_MS)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Use this video' }).waitFor()
  await accessible(page, 'preview')
  await page.keyboard.press('Enter')
  await page.getByText('The connection is lost. The upload continues by itself.').waitFor()
  await accessible(page, 'clip without connection')
  await page.getByLabel('Your name').fill('Priya')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Send' }).click()
  await setOffline(false)
  await page.getByRole('heading', { name: 'Thank you, Priya.' }).waitFor({ timeout: UPLOAD_LIMIT_MS })
  await accessible(page, 'receipt of a video')
  const [video] = (await service.client(team.token).videos.list(team.project)).results
  require(`the video is ${video?.state}`, ['uploaded', 'transcoding', 'ready'].includes(video?.state ?? ''))
  require('the words are not with the video', video?.draft.author.name === 'Priya' && video.draft.consent.granted)
  console.log(`A recording of ${RECORDED_MS} ms and more has ${video?.size_bytes} bytes, through a lost connection`)
  await context.close()
}

async function reloadWhileRecording({ visitor, accessible, require }: Visitors, { service, team, form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.goto(form)
  await page.getByLabel('Your name').fill('Ada')
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByRole('button', { name: 'Start recording' }).click()
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  await page.waitForTimeout(RECORDED_MS)
  const before = await keptBytes(page)
  require('nothing of the recording is kept', before > 0)
  await page.reload()
  await page.getByText('Your last recording is still here.').waitFor()
  await accessible(page, 'interrupted recording')
  await page.getByRole('button', { name: 'Use the recording' }).click()
  await page.getByText('Your video is ready.').waitFor()
  require('the name is lost', (await page.getByLabel('Your name').inputValue()) === 'Ada')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor({ timeout: UPLOAD_LIMIT_MS })
  const { videos } = service.client(team.token)
  await until('the video of the reload arrived', async () => (await videos.list(team.project)).results[0]?.draft.author.name === 'Ada')
  const [video] = (await videos.list(team.project)).results
  require(`${video?.size_bytes} of ${before} kept bytes arrived`, (video?.size_bytes ?? 0) >= before)
  require('something is left in the browser', (await page.evaluate<number>('localStorage.length')) === 0)
  await context.close()
}

/** An upload that is refused for good in the middle of a recording costs nothing of it: it is saved as a file, and sent again. */
async function failWhileRecording({ visitor, accessible, require }: Visitors, { service, team, form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  const refuse = { status: 404, json: { code: 'not_found', detail: 'Gone', request_id: '' } }
  await page.route(/uploads/, (route) => (route.request().method() === 'PATCH' ? route.fulfill(refuse) : route.continue()))
  await page.goto(form)
  await page.getByLabel('Your name').fill('Mei')
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByRole('button', { name: 'Start recording' }).click()
  await page.getByText('The upload failed. Your recording goes on').waitFor()
  await page.waitForTimeout(RECORDED_MS)
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await page.getByRole('button', { name: 'Use this video' }).click()
  await page.getByText('The upload failed. Please try again').waitFor()
  await accessible(page, 'clip that was not uploaded')
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download the video' }).click()
  const { size } = statSync(await (await saving).path())
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Your video is ready.').waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Thank you, Mei.' }).waitFor({ timeout: UPLOAD_LIMIT_MS })
  const [video] = (await service.client(team.token).videos.list(team.project)).results
  require(`${video?.size_bytes} of ${size} saved bytes arrived`, size > 0 && video?.size_bytes === size)
  await context.close()
}

/** A recording that is replaced is no longer held by the page. */
async function retake({ visitor, require }: Visitors, { form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.goto(form)
  const before = await listeners(page, 'visibilitychange')
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByRole('button', { name: 'Start recording' }).click()
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  const during = await listeners(page, 'visibilitychange')
  require('a recording does not listen for a page that is hidden', during === before + 1)
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await page.getByRole('button', { name: 'Record again' }).click()
  await page.getByRole('button', { name: 'Start recording' }).waitFor()
  const after = await listeners(page, 'visibilitychange')
  require(`${after - before} recorders listen after a retake`, after === before)
  await context.close()
}

/** The next person at a shared device sees no recording of the last one: after a day, or after Start over. */
async function leaveRecordings({ visitor, require }: Visitors, { form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  const leaveOne = async () => {
    await page.goto(form)
    await page.getByLabel('Your name').fill('Ada')
    await page.getByText('Record a video').click()
    await page.getByRole('button', { name: 'Open the camera' }).click()
    await page.getByRole('button', { name: 'Start recording' }).click()
    await page.getByRole('button', { name: 'Stop recording' }).waitFor()
    await page.waitForTimeout(RECORDED_MS)
    await page.reload()
    await page.getByText('Your last recording is still here.').waitFor()
  }
  const left = async () => (await keptBytes(page)) + (await page.evaluate<number>('localStorage.length'))
  await leaveOne()
  await page.getByRole('button', { name: 'Start over' }).click()
  await until('Start over deletes the recording and the draft', async () => (await left()) === 0)
  require('the recording is still offered', !(await page.getByText('Your last recording').isVisible()))
  await leaveOne()
  await makeOld(page)
  await page.reload()
  await until('a day deletes the recording and the draft', async () => (await left()) === 0)
  require('the old recording is still offered', !(await page.getByText('Your last recording').isVisible()))
  require('the old name is still there', (await page.getByLabel('Your name').inputValue()) === '')
  await context.close()
}

/** Makes what the browser keeps 25 hours older. */
async function makeOld(page: Page): Promise<void> {
  await page.evaluate(`for (const [key, value] of Object.entries(localStorage)) {
    const saved = JSON.parse(value)
    localStorage.setItem(key, JSON.stringify({ ...saved, savedMs: saved.savedMs - 25 * 3_600_000 }))
  }`)
}

/** A page of the build before, whose recorder is gone, offers to reload, and loses nothing that was typed. */
async function openAfterNewBuild({ visitor, accessible, require }: Visitors, { form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.route(/\/video-[^/]*\.js$/, (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(form)
  await page.getByLabel('Your name').fill('Ada')
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByRole('alert').getByText('The recorder could not be loaded.').waitFor()
  await accessible(page, 'recorder of another build')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByText('What you typed last time is still here.').waitFor()
  require('the name is lost', (await page.getByLabel('Your name').inputValue()) === 'Ada')
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByRole('button', { name: 'Start recording' }).waitFor()
  await context.close()
}

/** Counts what listens to an event of the document, as the inspector of Chromium does. */
async function listeners(page: Page, type: string): Promise<number> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', { expression: 'document' })
  const found = await session.send('DOMDebugger.getEventListeners', { objectId: result.objectId ?? '' })
  await session.detach()
  return found.listeners.filter((listener) => listener.type === type).length
}

/** A camera that may not be used has its words, and a file as the way out. */
async function checkRefusedCamera({ visitor, accessible, require }: Visitors, { form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  // What Chromium does when a person refuses; its fake permissions always allow.
  await page.addInitScript("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Refused', 'NotAllowedError'))")
  await page.goto(form)
  await page.getByText('Record a video').click()
  await page.getByRole('button', { name: 'Open the camera' }).click()
  await page.getByText('The camera or the microphone is blocked.').waitFor()
  await accessible(page, 'refused camera')
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no video') }
  await page.locator('dialog input[type=file]').setInputFiles(file)
  await page.getByText('This file is not a video.').waitFor()
  await page.locator('#video-file').setInputFiles({ name: 'clip.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(2_000_000, 7) })
  await page.getByText('Your video is ready.').waitFor()
  await page.getByRole('button', { name: 'Remove the video' }).click()
  require('the buttons do not come back', await page.getByRole('button', { name: 'Open the camera' }).isVisible())
  await context.close()
}
