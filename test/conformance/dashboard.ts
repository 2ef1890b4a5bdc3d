import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/service-process.ts'
import { openChromium } from './chromium.ts'
import { analyticsFlows } from './dashboard/analytics.ts'
import { eventFlows } from './dashboard/events.ts'
import { importFlows } from './dashboard/imports.ts'
import { inboxFlows } from './dashboard/inbox.ts'
import { inboxCareFlows } from './dashboard/inbox-care.ts'
import { type Flow, openStage, SIZES, type Size, type Theatre } from './dashboard/stage.ts'
import { surveysFlows } from './dashboard/surveys.ts'
import { teamFlows } from './dashboard/team.ts'
import { testimonialFlows } from './dashboard/testimonials.ts'
import { upgradeFlows } from './dashboard/upgrade.ts'
import { videoFlows } from './dashboard/videos.ts'
import { webhookFlows } from './dashboard/webhooks.ts'
import { widgetFlows } from './dashboard/widgets.ts'

const LIMIT_MS = 120_000
const AT_ONCE = 2
const sizes = Object.keys(SIZES) as Size[]
const flows: readonly Flow[] = [
  ...[...inboxFlows, ...inboxCareFlows, ...testimonialFlows, ...videoFlows, ...surveysFlows, ...analyticsFlows, ...widgetFlows],
  ...[...importFlows, ...teamFlows, ...webhookFlows, ...eventFlows, ...upgradeFlows],
]

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
  const theatre = { browser, url: `http://localhost:${port}`, database }
  const scenes = flows.filter(({ name }) => name.includes(only)).flatMap((flow) => sizes.map((size) => ({ flow, size })))
  const problems: string[] = []
  // Each has people and a team of its own.
  const playNext = async (): Promise<void> => {
    const scene = scenes.shift()
    if (!scene) return
    const { flow, size } = scene
    const problem = await play(theatre, flow, size)
    console.log(`${problem === null ? 'went well' : 'FAILED'}: ${flow.name}, ${size}`)
    if (problem !== null) problems.push(`${flow.name}, ${size}: ${problem}`)
    return playNext()
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, playNext))
  } finally {
    await browser.close()
  }
  return problems.length === 0 ? null : problems.join('\n')
}

async function play(theatre: Theatre, flow: Flow, size: Size): Promise<string | null> {
  try {
    await using stage = await openStage(theatre, size)
    stage.context.setDefaultTimeout(LIMIT_MS / 4)
    await flow.run(stage)
    return stage.complaints.length === 0 ? null : `the browser reported: ${stage.complaints.join('; ')}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
