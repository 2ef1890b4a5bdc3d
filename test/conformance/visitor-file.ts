import { randomBytes } from 'node:crypto'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { keptBytes, PHONE, slowDown, type Visited, type Visitors } from './visitor-browser.ts'

const FILE_BYTES = 5_000_000
const OTHER_BYTES = 100_000
/** How long a slow browser looks for room. */
const ROOM_MS = 1_000
/** The upload takes some seconds. */
const MOBILE = { kilobits: 6_000, latencyMs: 50, cpu: 1 }
const UPLOAD_LIMIT_MS = 60_000

/** A file that was chosen outlives a reload in the middle of its upload, also in a browser that keeps nothing large. */
export async function checkChosenFile(visitors: Visitors, visited: Visited): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'earshot-chosen-'))
  const path = join(folder.path, 'holiday \u202egpj.mp4')
  writeFileSync(path, randomBytes(FILE_BYTES))
  await reloadKept(visitors, visited, path)
  await chooseAgain(visitors, visited, path)
  await chooseAnother(visitors, visited, path)
  await changeQuickly(visitors, visited, path)
}

/** All of it is here: the upload goes on where it stopped. */
async function reloadKept({ visitor, accessible, require }: Visitors, visited: Visited, path: string): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  const offsets = await leaveWhileUploading(page, visited, { path, name: 'Ines' })
  require('the file is not kept', (await keptBytes(page)) === FILE_BYTES)
  await page.reload()
  // What would reorder the sentence is left out of the name.
  await page.getByText('Your video holiday gpj.mp4 is still here.').waitFor()
  await accessible(page, 'file of an earlier visit')
  await page.getByRole('button', { name: 'Use this video' }).click()
  await sendAs(page, 'Ines')
  await arrived(visited, 'Ines')
  require(`the upload began again at ${offsets.at(-1)}`, new Set(offsets).size === offsets.length && offsets.length > 1)
  await until('the browser keeps nothing of what was sent', async () => (await keptBytes(page)) === 0)
  require('a note is left', (await page.evaluate<number>('localStorage.length')) === 0)
  await context.close()
}

/** Where nothing large can be kept, the same file continues its upload. */
async function chooseAgain({ visitor, accessible, require }: Visitors, visited: Visited, path: string): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  // As browsers do whose visitor wants no storage, or whose disk is full.
  await page.addInitScript("IDBFactory.prototype.open = () => { throw new DOMException('No room', 'QuotaExceededError') }")
  const offsets = await leaveWhileUploading(page, visited, { path, name: 'Omar' })
  await page.reload()
  await page.getByText('Choose it again, and the upload continues where it stopped.').waitFor()
  await accessible(page, 'file to choose again')
  const again = page.getByLabel('Choose it again')
  // A slip costs nothing of what has arrived.
  await again.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no video') })
  await page.getByText('This file is not a video.').waitFor()
  await again.setInputFiles(path)
  await sendAs(page, 'Omar')
  await arrived(visited, 'Omar')
  require(`the upload began again at ${offsets.at(-1)}`, new Set(offsets).size === offsets.length && offsets.length > 1)
  await context.close()
}

/** Another file of that name is another video: what had arrived is not mixed with it. */
async function chooseAnother({ visitor, require }: Visitors, visited: Visited, path: string): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.addInitScript("IDBFactory.prototype.open = () => { throw new DOMException('No room', 'QuotaExceededError') }")
  const offsets = await leaveWhileUploading(page, visited, { path, name: 'Yuki' })
  await page.reload()
  const again = page.getByLabel('Choose it again')
  await again.waitFor()
  offsets.length = 0
  writeFileSync(path, randomBytes(FILE_BYTES - 1))
  await again.setInputFiles(path)
  await sendAs(page, 'Yuki')
  const { size_bytes } = await arrived(visited, 'Yuki')
  require('the other file was mixed with the first', offsets[0] === 0 && size_bytes === FILE_BYTES - 1)
  await context.close()
}

/** What is replaced or removed while the browser still looks for room is not kept. */
async function changeQuickly({ visitor, require }: Visitors, { form }: Visited, path: string): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.addInitScript(`navigator.storage.estimate = () => new Promise((resolve) => setTimeout(resolve, ${ROOM_MS}, {}))`)
  await page.goto(form)
  await page.getByText('Record a video').click()
  const choice = page.locator('#video-file')
  await choice.setInputFiles(path)
  await page.getByText('Your video is ready.').waitFor()
  await choice.setInputFiles({ name: 'other.mp4', mimeType: 'video/mp4', buffer: randomBytes(OTHER_BYTES) })
  await page.waitForTimeout(2 * ROOM_MS)
  const kept = await keptBytes(page)
  require(`${kept} bytes are kept of two files`, kept === OTHER_BYTES)
  await choice.setInputFiles(path)
  await page.getByRole('button', { name: 'Remove the video' }).click()
  await page.waitForTimeout(2 * ROOM_MS)
  require('a file that was removed is kept', (await keptBytes(page)) === 0)
  require('its note is kept', (await page.evaluate<boolean>("Object.keys(localStorage).some((key) => key.includes('video'))")) === false)
  await context.close()
}

/** Opens the form and chooses the file. Resolves once a part of it has arrived, to where each part begins. */
async function leaveWhileUploading(page: Page, { form }: Visited, { path, name }: { path: string; name: string }): Promise<number[]> {
  const offsets: number[] = []
  page.on('response', (response) => {
    const offset = response.request().headers()['upload-offset']
    if (response.request().method() === 'PATCH' && offset !== undefined) offsets.push(Number(offset))
  })
  await page.goto(form)
  await slowDown(page, MOBILE)
  await page.getByLabel('Your name').fill(name)
  await page.getByText('Record a video').click()
  await page.locator('#video-file').setInputFiles(path)
  await page.getByText(/[1-9]\d?% uploaded/).waitFor()
  return offsets
}

async function sendAs(page: Page, name: string): Promise<void> {
  await page.getByText('Your video is ready.').waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: `Thank you, ${name}.` }).waitFor({ timeout: UPLOAD_LIMIT_MS })
}

async function arrived({ service, team }: Visited, name: string): Promise<{ size_bytes: number | null }> {
  const { results } = await service.client(team.token).videos.list(team.project)
  const found = results.find(({ draft }) => draft.author.name === name)
  if (!found) throw new Error(`The video of ${name} did not arrive`)
  return found
}
