import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/service-process.ts'
import { openChromium } from './chromium.ts'
import { TOP } from './command.ts'
import { failingWebhook } from './journeys/failing-webhook.ts'
import { type Journey, openFixture, PICTURES } from './journeys/fixture.ts'
import { fromSignUp } from './journeys/from-sign-up.ts'
import { movingIn } from './journeys/moving-in.ts'
import { surveyToNps } from './journeys/survey-to-nps.ts'
import { twoModerators } from './journeys/two-moderators.ts'

const journeys: readonly Journey[] = [fromSignUp, twoModerators, surveyToNps, failingWebhook, movingIn]

/** Goes through Earshot as its users do, from the first page to the last, and takes pictures. Resolves to the problems, or null. */
export async function checkJourneys(only = ''): Promise<string | null> {
  const browser = await openChromium()
  if (typeof browser === 'string') return browser
  rmSync(PICTURES, { recursive: true, force: true })
  await using data = makeDataDir()
  const port = await freePort()
  const environment = { EARSHOT_DATA_DIR: data.path, PORT: String(port) }
  await using _service = await startService({
    ...{ ...environment, EARSHOT_LOG_LEVEL: 'warn', EARSHOT_DEFAULT_PLAN: 'business' },
    ...{ EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on' },
  })
  await using database = await data.openDatabase()
  const place = { browser, url: `http://localhost:${port}`, environment, database }
  const problems: string[] = []
  try {
    for (const journey of journeys.filter(({ name }) => name.includes(only))) {
      const problem = await tell(place, journey)
      console.log(`${problem === null ? 'arrived' : 'FAILED'}: ${journey.name}`)
      if (problem !== null) problems.push(`${journey.name}: ${problem}`)
    }
  } finally {
    await browser.close()
  }
  return problems.length === 0 ? null : problems.join('\n')
}

/** Copies the pictures into the documentation, instead of those of an earlier run. */
export function keepJourneys(): void {
  for (const { name } of journeys) {
    const kept = join(TOP, 'docs/journeys', name)
    rmSync(kept, { recursive: true, force: true })
    cpSync(join(PICTURES, name), kept, { recursive: true })
  }
}

async function tell(place: Parameters<typeof openFixture>[0], journey: Journey): Promise<string | null> {
  await using fixture = openFixture(place, journey.name)
  try {
    await journey.tell(fixture)
    return fixture.complaints.length === 0 ? null : `the browser reported: ${fixture.complaints.join('; ')}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
