import type { Database } from '@earshot/db'
import type { Browser } from 'playwright-core'
import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/service-process.ts'
import { measureKeys } from './budgets/keys.ts'
import { type MeasuredPage, measurePage, prepareLighthouse } from './budgets/lighthouse.ts'
import { loadReference, type ReferencePage, serveReference } from './budgets/reference.ts'
import { findChromium, openChromium } from './chromium.ts'

const EMAIL = 'owner@example.com'
/** What the service prints of its demo. */
const PASSWORD = /\(password (\S+?)\)/
const TOKEN = /EARSHOT_TOKEN=(\S+)/
const PUBLIC_KEY = /\bpk_\w+/

interface Demo {
  url: string
  cookie: string
  database: Database
  client: ReturnType<Awaited<ReturnType<typeof startService>>['client']>
  publicKey: string
}

/**
 * Measures how fast pages are: with Lighthouse over the demo, and from key to paint in an inbox of 10,000. Both are processor time as a
 * ratio to that of a reference page in the same minute, which what else the machine does hardly changes. Resolves to the problems, or null.
 */
export async function checkBudgets(): Promise<string | null> {
  const missing = await prepareLighthouse()
  if (missing !== null) return missing
  const chromePath = await findChromium()
  if (chromePath === null) return 'Chromium is needed (on Debian: apt install chromium)'
  await using data = makeDataDir()
  const url = `http://localhost:${await freePort()}`
  const environment = { EARSHOT_DATA_DIR: data.path, PORT: new URL(url).port, EARSHOT_LOG_LEVEL: 'warn' }
  await using service = await startService(environment, { args: ['--demo'] })
  await using database = await data.openDatabase()
  const printed = service.output()
  const cookie = await signIn(url, PASSWORD.exec(printed)?.[1] ?? '')
  const client = service.client(TOKEN.exec(printed)?.[1])
  const demo = { url, cookie, database, client, publicKey: PUBLIC_KEY.exec(printed)?.[0] ?? '' }
  const problems: string[] = []
  const browser = await openChromium()
  if (typeof browser === 'string') return browser
  using reference = await serveReference()
  try {
    const measuring = { chromePath, referenceMs: () => loadReference(browser, reference) }
    for (const page of await pagesOf(demo)) problems.push(...(await measurePage(page, measuring)))
    const slow = await measureQueue(demo, { browser, reference })
    if (slow !== null) problems.push(slow)
  } finally {
    await browser.close()
  }
  return problems.length === 0 ? null : problems.join('; ')
}

async function signIn(url: string, password: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/session/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, password }),
  })
  if (!response.ok) throw new Error(`The demo cannot be entered: ${response.status}`)
  return response.headers
    .getSetCookie()
    .map((text) => text.split(';', 1)[0])
    .join('; ')
}

/**
 * Each with the requests of its first load: the document, its files and its data, and what the page asks for once it is shown. Their loads
 * cost 0.23 to 0.35, 0.26 to 0.29, 0.82 to 0.89 and 1.09 to 1.48 times the reference page in runs beside 4 to 11 other processes.
 */
async function pagesOf({ url, cookie, client, publicKey }: Demo): Promise<MeasuredPage[]> {
  const { team, project } = await placeOf(client)
  const surveys = await client.surveys.list({ team_id: team.id, project_id: project.id, status: 'active' })
  const survey = surveys.results[0]
  if (!survey) throw new Error('The demo has no survey')
  const inbox = { name: 'inbox', address: `${url}/app/${team.slug}/${project.slug}/inbox`, cookie }
  return [
    { name: 'collection page', address: `${url}/c/${publicKey}`, form: 'mobile', maxRequests: 12, maxCost: 0.5 },
    { name: 'survey page', address: `${url}/s/${survey.id}`, form: 'mobile', maxRequests: 12, maxCost: 0.45 },
    { ...inbox, form: 'mobile', maxRequests: 14, maxCost: 1.1 },
    { ...inbox, form: 'desktop', maxRequests: 16, maxCost: 1.4 },
  ]
}

async function placeOf(client: Demo['client']) {
  const [team] = (await client.teams.list()).results
  if (!team) throw new Error('The demo has no team')
  const [project] = (await client.projects.list({ team_id: team.id })).results
  if (!project) throw new Error('The demo has no project')
  return { team, project }
}

async function measureQueue(
  { url, cookie, database, client }: Demo,
  { browser, reference }: { browser: Browser; reference: ReferencePage },
): Promise<string | null> {
  const { team } = await placeOf(client)
  const project = await client.projects.create({ team_id: team.id, name: 'Long queue' })
  const path = `/app/${team.slug}/${project.slug}`
  return measureKeys({ browser, reference, database, url, cookie, path, project: { team_id: team.id, id: project.id } })
}

if (import.meta.main) {
  const problem = await checkBudgets()
  console.log(problem ?? 'All budgets are kept')
  process.exitCode = problem === null ? 0 : 1
}
