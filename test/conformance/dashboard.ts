import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/service-process.ts'
import { openChromium } from './chromium.ts'
import { uncheckedPages } from './dashboard/core-flows.ts'
import { type Flow, openFixture, SIZES, type Size, type Surroundings } from './dashboard/fixture.ts'
import { flowsOf, type Part } from './dashboard/flows.ts'

const LIMIT_MS = 120_000
const AT_ONCE = 2
const sizes = Object.keys(SIZES) as Size[]

/** Does on the dashboard what people do, in Chromium, on a laptop and on a phone. Resolves to the problems, or null. */
export async function checkDashboard(part: Part): Promise<string | null> {
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
  const runs = flowsOf(part).flatMap((flow) => sizes.map((size) => ({ flow, size })))
  const problems: string[] = []
  // Each has people and a team of its own.
  const runNext = async (): Promise<void> => {
    const next = runs.shift()
    if (!next) return
    const { flow, size } = next
    const startMs = performance.now()
    const problem = await runFlow(surroundings, flow, size)
    const seconds = Math.round((performance.now() - startMs) / 1_000)
    console.log(`${problem === null ? 'went well' : 'FAILED'}: ${flow.name}, ${size} (${seconds} s)`)
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
    const checked: string[] = []
    const check = async (state: string) => {
      await fixture.check(state)
      checked.push(new URL(fixture.page.url()).pathname)
    }
    await flow.run({ ...fixture, check })
    if (fixture.complaints.length > 0) return `the browser reported: ${fixture.complaints.join('; ')}`
    const unchecked = uncheckedPages(flow.name, checked)
    return unchecked.length === 0 ? null : `did not check ${unchecked.join(', ')}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
