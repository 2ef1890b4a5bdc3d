import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Locator, type Page, chromium as playwright } from 'playwright-core'
import { makeDataDir } from '../support/data-dir.ts'
import { startService } from '../support/service-process.ts'
import { serveReference } from './budgets/reference.ts'
import { findChromium } from './chromium.ts'
import { openVisitors, PHONE, slowDown, type Visited, type Visitors, WIDE } from './visitor-browser.ts'
import { checkChosenFile } from './visitor-file.ts'
import { checkKeys } from './visitor-keys.ts'
import { checkRecorder } from './visitor-recorder.ts'
import { checkSurveySteps } from './visitor-steps.ts'
import { checkSurveyPage } from './visitor-survey.ts'
import { checkTroubles } from './visitor-troubles.ts'
import { checkVideoPage } from './visitor-video.ts'
import { checkWallPage } from './visitor-wall.ts'

const WORDS = 'We stopped arguing about what customers meant.'
/** As the notes about the pages measured: a slow phone on a slow network. */
const SLOW = { kilobits: 1_600, latencyMs: 150, cpu: 4 }
const SPEED_LOADS = 3
/** The form takes about as long as the reference page on an idle machine, and less beside other work: it computes less. */
const MAX_SPEED_RATIO = 2
/** The end of the reference page. */
const LAST_ROW = /^Row 399 /
const FAKE_CAMERA = ['--use-fake-device-for-media-stream=device-count=2', '--use-fake-ui-for-media-stream']

type Visit = (visitors: Visitors, visited: Visited) => Promise<void>

/** One visit of each page: the form with its receipt and withdrawal, a survey, and a wall. */
const CORE: readonly Visit[] = [checkLooks, checkText, checkSurveyPage, checkWallPage]
/** All other visits: without a connection, by keys alone, with a camera and a file, and with what goes wrong. */
const OTHERS: readonly Visit[] = [
  checkOffline,
  checkOtherName,
  checkFrame,
  checkSpeed,
  checkKeys,
  checkVideoPage,
  checkRecorder,
  checkChosenFile,
  checkSurveySteps,
  checkTroubles,
]

/**
 * Visits the pages of visitors with a real Chromium, on a phone and a wide screen, in the light and in the dark, from right to left. The
 * core visits each page once; the others record and choose videos, lose the connection and use both names of this machine. Resolves to
 * the problem, or null.
 */
export async function checkVisitorPages(part: 'core' | 'others'): Promise<string | null> {
  const path = await findChromium()
  if (path === null) return 'Chromium is needed (on Debian: apt install chromium)'
  const browser = await playwright.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu', ...FAKE_CAMERA] })
  const visitors = openVisitors(browser)
  try {
    await visit(visitors, part === 'core' ? CORE : OTHERS)
  } catch (error) {
    visitors.problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await browser.close()
  }
  console.log(`axe checked ${visitors.states()} states of the pages of visitors`)
  return visitors.problems.length === 0 ? null : visitors.problems.join('; ')
}

async function visit(visitors: Visitors, visits: readonly Visit[]): Promise<void> {
  await using data = makeDataDir()
  await using service = await startService({ EARSHOT_DATA_DIR: data.path, EARSHOT_LOG_LEVEL: 'warn' })
  const team = await data.makeTeam()
  const look = { name: 'Northlight', website_url: 'https://northlight.example', theme: { color: '#d3402f' } }
  await service.client(team.token).projects.update({ ...team.project, ...look })
  const visited: Visited = { service, team, form: `${service.url}/c/${team.publicKey}` }
  for (const check of visits) await check(visitors, visited)
}

/** Every state of the form, in every look. */
async function checkLooks({ visitor, accessible, require }: Visitors, { form }: Visited): Promise<void> {
  const looks = [
    { ...PHONE, colorScheme: 'light', locale: 'en' },
    { ...PHONE, colorScheme: 'dark', locale: 'ar' },
    { ...WIDE, colorScheme: 'dark', locale: 'de' },
    // 1280 px at 400 % (WCAG 1.4.10).
    { viewport: { width: 320, height: 256 }, colorScheme: 'light', locale: 'pl' },
  ] as const
  for (const look of looks) {
    const name = `${look.locale}, ${look.colorScheme}, ${look.viewport.width} px`
    const { context, page } = await visitor(look)
    await page.goto(form)
    await accessible(page, `form (${name})`)
    const [language, width] = await page.evaluate<[string, number]>('[document.documentElement.lang, document.documentElement.scrollWidth]')
    require(`${name}: the page is in ${language}`, language === look.locale)
    require(`${name}: the page is ${width} px wide`, width <= look.viewport.width)
    await page.locator('details.more').evaluate((details) => details.setAttribute('open', ''))
    await page.locator('#send').click()
    await accessible(page, `errors (${name})`)
    await context.close()
  }
}

/** From the keyboard alone, to the withdrawal. */
async function checkText({ visitor, accessible, require }: Visitors, { service, team, form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, colorScheme: 'light', locale: 'en' })
  await page.goto(form)
  await page.getByRole('radio', { name: '1 of 5 stars' }).focus()
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight')
  require('arrows do not choose 4 stars', await page.getByRole('radio', { name: '4 of 5 stars' }).isChecked())
  await page.getByLabel('What changed for you?').focus()
  await page.keyboard.type(WORDS)
  await page.keyboard.press('Tab')
  await page.keyboard.type('Priya Raman')
  await page.keyboard.press('Tab')
  await page.keyboard.type('no address')
  await page.getByRole('checkbox').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('This is not an e-mail address.').waitFor()
  require('the wrong field is not focused', await page.evaluate<boolean>("document.activeElement.id === 'email'"))
  await page.keyboard.press('Control+A')
  await page.keyboard.type('priya@example.com')
  // Two presses are one submission.
  await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('Enter')])
  await page.getByRole('heading', { name: 'Thank you, Priya Raman.' }).waitFor()
  await accessible(page, 'receipt')
  require('the receipt shows other words', (await page.locator('blockquote').textContent()) === WORDS)
  require('the draft is still there', (await page.evaluate<number>('localStorage.length')) === 0)
  const { results } = await service.client(team.token).submissions.list(team.project)
  require(`${results.length} submissions arrived`, results.length === 1 && results[0]?.rating === 4)
  await page.getByRole('link', { name: 'Withdraw consent' }).click()
  await accessible(page, 'withdrawal')
  const color = await page.evaluate<string>("getComputedStyle(document.documentElement).getPropertyValue('--brand')")
  require(`the page of the withdrawal is ${color}`, color === '#d3402f')
  await page.getByRole('button', { name: 'Withdraw consent' }).click()
  await page.getByRole('heading', { name: 'Your consent is withdrawn' }).waitFor()
  await accessible(page, 'withdrawn')
  const [row] = (await service.client(team.token).submissions.list(team.project)).results
  require('the consent was not withdrawn', row?.consent.revoked_at !== null)
  await context.close()
}

/** What was typed is kept without a connection and over a reload, and sent once when it is back. */
async function checkOffline({ visitor, accessible, require }: Visitors, { service, team, form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...PHONE, locale: 'en' })
  await page.goto(form)
  await page.getByLabel('What changed for you?').fill('Typed in a tunnel.')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('checkbox').check()
  await page.reload()
  await page.getByText('What you typed last time is still here.').waitFor()
  await accessible(page, 'restored draft')
  require('consent is ticked by itself', !(await page.getByRole('checkbox').isChecked()))
  await page.getByText('You had ticked this. Please tick it again.').waitFor()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('You are offline.').waitFor()
  await accessible(page, 'offline')
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
  require('a withdrawal is offered without consent', !(await page.getByRole('link', { name: 'Withdraw consent' }).isVisible()))
  const { results } = await service.client(team.token).submissions.list(team.project)
  require('the words of the tunnel came twice', results.filter(({ body }) => body === 'Typed in a tunnel.').length === 1)
  await context.close()
}

/** The service is known by another name than the page is opened by. */
async function checkOtherName({ visitor, require }: Visitors, { service, team, form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  const other = form.replace(/localhost|127\.0\.0\.1/, (name) => (name === 'localhost' ? '127.0.0.1' : 'localhost'))
  await page.goto(other)
  await page.getByLabel('What changed for you?').fill('Under another name.')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
  const { results } = await service.client(team.token).submissions.list(team.project)
  require('nothing came under the other name', results[0]?.body === 'Under another name.')
  await context.close()
}

/** A page around the form learns its height, and that something was sent. */
async function checkFrame({ visitor, require }: Visitors, { form }: Visited): Promise<void> {
  const { context, page } = await visitor({ ...WIDE, locale: 'en' })
  const html = `<!doctype html><title>Shop</title><script>addEventListener('message', ({ data }) => (window.told ??= []).push(data))</script><iframe src="${form}?embed" width="600" height="900"></iframe>`
  const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html))
  await once(site.listen(0, '127.0.0.1'), 'listening')
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`) // It listens on a port.
  const frame = page.frameLocator('iframe')
  await frame.getByLabel('What changed for you?').fill('From a frame.')
  await frame.getByLabel('Your name').fill('Ada')
  await frame.getByRole('button', { name: 'Send' }).click()
  await frame.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
  const told = await page.evaluate<{ type: string; height?: number }[]>('window.told')
  require('the frame told no height', told.some(({ type, height = 0 }) => type === 'earshot:size' && height > 400))
  require('the frame told of nothing sent', told.some(({ type }) => type === 'earshot:sent'))
  await context.close()
  site.close()
}

/** A slow phone on a slow network shows the form in a time that is told as a ratio to the reference page's, in turn with it. */
async function checkSpeed({ visitor, require }: Visitors, { form }: Visited): Promise<void> {
  using reference = await serveReference()
  const open = async (address: string, shown: (page: Page) => Locator) => {
    const { context, page } = await visitor({ ...PHONE, locale: 'en' })
    await slowDown(page, SLOW)
    const startMs = performance.now()
    await page.goto(address, { waitUntil: 'commit' })
    await shown(page).waitFor()
    const tookMs = performance.now() - startMs
    await context.close()
    return tookMs
  }
  const forms: number[] = []
  const references: number[] = []
  for (let load = 0; load < SPEED_LOADS; load += 1) {
    forms.push(await open(form, (page) => page.getByRole('button', { name: 'Send' })))
    references.push(await open(reference.address, (page) => page.getByText(LAST_ROW)))
  }
  const [formMs, referenceMs] = [Math.min(...forms), Math.min(...references)]
  const told = `${(formMs / referenceMs).toFixed(2)} times the reference page's ${Math.round(referenceMs)} ms`
  console.log(`The form is visible after ${told} (${SLOW.kilobits} kbit/s, ${SLOW.latencyMs} ms, processor ÷ ${SLOW.cpu})`)
  require(`the form is visible after ${told}`, formMs <= MAX_SPEED_RATIO * referenceMs)
}
