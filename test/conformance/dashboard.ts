import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/service-process.ts'
import { openChromium } from './chromium.ts'
import { analyticsFlows } from './dashboard/analytics.ts'
import { badInputFlows } from './dashboard/bad-input.ts'
import { draggingFlows } from './dashboard/dragging.ts'
import { eventFlows } from './dashboard/events.ts'
import { type Flow, openFixture, SIZES, type Size, type Surroundings } from './dashboard/fixture.ts'
import { imageFlows } from './dashboard/images.ts'
import { importFlows } from './dashboard/imports.ts'
import { inboxFlows } from './dashboard/inbox.ts'
import { inboxCareFlows } from './dashboard/inbox-care.ts'
import { inboxLiveFlows } from './dashboard/inbox-live.ts'
import { inboxTabsFlows } from './dashboard/inbox-tabs.ts'
import { keyboardFlows } from './dashboard/keyboard.ts'
import { keyboardAccountFlows } from './dashboard/keyboard-account.ts'
import { keyboardPageFlows } from './dashboard/keyboard-pages.ts'
import { networkFlows } from './dashboard/network.ts'
import { paletteFlows } from './dashboard/palette.ts'
import { previewFlows } from './dashboard/previews.ts'
import { situationFlows } from './dashboard/situations.ts'
import { surveyResultsFlows } from './dashboard/survey-results.ts'
import { surveysFlows } from './dashboard/surveys.ts'
import { tagFlows } from './dashboard/tags.ts'
import { teamFlows } from './dashboard/team.ts'
import { testimonialFlows } from './dashboard/testimonials.ts'
import { upgradeFlows } from './dashboard/upgrade.ts'
import { videoFlows } from './dashboard/videos.ts'
import { webhookFlows } from './dashboard/webhooks.ts'
import { widgetFlows } from './dashboard/widgets.ts'
import { zoomFlows } from './dashboard/zoom.ts'

const LIMIT_MS = 120_000
const AT_ONCE = 2
const sizes = Object.keys(SIZES) as Size[]
const flows: readonly Flow[] = [
  inboxFlows,
  inboxCareFlows,
  inboxLiveFlows,
  inboxTabsFlows,
  testimonialFlows,
  videoFlows,
  surveysFlows,
  surveyResultsFlows,
  draggingFlows,
  analyticsFlows,
  widgetFlows,
  previewFlows,
  importFlows,
  teamFlows,
  webhookFlows,
  eventFlows,
  badInputFlows,
  imageFlows,
  keyboardFlows,
  keyboardAccountFlows,
  keyboardPageFlows,
  networkFlows,
  paletteFlows,
  situationFlows,
  tagFlows,
  zoomFlows,
  upgradeFlows,
].flat()

/** Does on the dashboard what people do, in Chromium, on a laptop and on a phone. Resolves to the problems, or null. */
export async function checkDashboard(only = ''): Promise<string | null> {
  const browser = await openChromium()
  if (typeof browser === 'string') return browser
  await using data = makeDataDir()
  const port = await freePort()
  await using _service = await startService({
    ...{ EARSHOT_DATA_DIR: data.path, PORT: String(port), EARSHOT_LOG_LEVEL: 'warn', EARSHOT_RATE_LIMIT_MULTIPLIER: '100' },
    ...{ EARSHOT_DEFAULT_PLAN: 'business' },
  })
  await using database = await data.openDatabase()
  const surroundings = { browser, url: `http://localhost:${port}`, database }
  const runs = flows.filter(({ name }) => name.includes(only)).flatMap((flow) => sizes.map((size) => ({ flow, size })))
  const problems: string[] = []
  // Each has people and a team of its own.
  const runNext = async (): Promise<void> => {
    const next = runs.shift()
    if (!next) return
    const { flow, size } = next
    const problem = await runFlow(surroundings, flow, size)
    console.log(`${problem === null ? 'went well' : 'FAILED'}: ${flow.name}, ${size}`)
    if (problem !== null) problems.push(`${flow.name}, ${size}: ${problem}`)
    return runNext()
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  } finally {
    await browser.close()
  }
  return problems.length === 0 ? null : problems.join('\n')
}

async function runFlow(surroundings: Surroundings, flow: Flow, size: Size): Promise<string | null> {
  try {
    await using fixture = await openFixture(surroundings, size)
    fixture.context.setDefaultTimeout(LIMIT_MS / 4)
    await flow.run(fixture)
    return fixture.complaints.length === 0 ? null : `the browser reported: ${fixture.complaints.join('; ')}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
