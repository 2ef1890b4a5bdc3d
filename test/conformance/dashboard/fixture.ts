import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Plan, Scope } from '@earshot/contracts'
import { type Client, createClient } from '@earshot/contracts/client'
import { addTeamMember, createTeamFor, createUser, type Database, setTeamPlan, type UserRow } from '@earshot/db'
import { hashPassword } from '@earshot/server'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { makeTokenOf } from '../../support/people.ts'

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Once all that moves has come to its end. What never ends, and what stands still, is left out; the rest has two seconds. */
export const SETTLED = `Promise.race([
  new Promise((resolve) => setTimeout(resolve, 2000)),
  Promise.allSettled(document.getAnimations().flatMap(({ effect, finished }) =>
    Number.isFinite(effect.getComputedTiming().endTime) ? [finished] : [])),
]).then(() => null)`

/** The password of everybody. */
export const PASSWORD = 'seven quiet engines hum'
/** WCAG 2.2 AA, and what axe recommends beside. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The widths that every flow runs at: a phone and a laptop. */
export const SIZES = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } } as const
export type Size = keyof typeof SIZES

/** A person in a browser, on a team and a project of their own. */
export interface Fixture {
  url: string
  size: Size
  page: Page
  context: BrowserContext
  /** The API with a token of the same person, to set up and to look. */
  client: Client
  team: { id: string; slug: string; name: string }
  project: { id: string; slug: string; name: string }
  /** Beside the service, for what happened before. */
  database: Database
  /** Opens a page of the project, such as `inbox`, or of the team, such as `-/webhooks`. */
  open: (path: string) => Promise<void>
  /** Checks the page as it is with axe, light and dark, and that nothing is wider than the window. */
  check: (state: string) => Promise<void>
  /** Adds a person to the team and opens the dashboard as them, in a browser of their own. */
  colleague: (role: 'viewer' | 'member' | 'admin') => Promise<{ page: Page; name: string }>
  /** Changes the plan of the team, as the operator does. */
  setPlan: (plan: Plan) => Promise<void>
  /** What the browser reported since the beginning: errors, warnings and breaches of the policy. */
  complaints: readonly string[]
  /** Takes back the browser's report of a refusal that the flow brought about. Throws if there was none. */
  expectRefusal: (status: number) => void
  /** Takes back all reports with this text, of what the flow itself has broken. */
  forgive: (text: string) => void
}

/** Something that people do on the dashboard, told by role and name. Throws when it does not go as they expect. */
export interface Flow {
  name: string
  run: (fixture: Fixture) => Promise<void>
}

export interface Surroundings {
  browser: Browser
  url: string
  /** Beside the service, to make people: the admin CLI would take seconds. */
  database: Database
}

/** Makes a person with a team and a project, signed in. */
export async function openFixture(surroundings: Surroundings, size: Size): Promise<Fixture & AsyncDisposable> {
  const { url, database } = surroundings
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  const signIn = async ({ email }: UserRow) => {
    const context = await surroundings.browser.newContext({ viewport: SIZES[size], locale: 'en' })
    contexts.push(context)
    await context.request.post(`${url}/api/auth/session/`, { data: { email, password: PASSWORD } })
    const page = await context.newPage()
    collectComplaints(page, complaints)
    return { context, page }
  }
  const owner = await makePerson(database, 'Grace Hopper')
  const team = await createTeamFor(database, owner, { name: `Compilers ${owner.email.slice(0, 6)}`, plan: 'business' })
  const { context, page } = await signIn(owner)
  const client = createClient({ baseUrl: url, token: await makeTokenOf(database, owner, Scope.options) })
  const project = await client.projects.create({ team_id: team.id, name: 'Website', website_url: 'https://example.com' })
  return {
    ...{ url, size, page, context, client, database, team, project, complaints },
    expectRefusal: (status) => {
      const index = complaints.findIndex((complaint) => complaint.includes(`responded with a status of ${status}`))
      if (index < 0) throw new Error(`Nothing was refused with ${status}`)
      complaints.splice(index, 1)
    },
    forgive: (text) => void complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !complaint.includes(text))),
    open: async (path) => {
      await page.goto(path.startsWith('-') ? `${url}/app/${team.slug}/${path}` : `${url}/app/${team.slug}/${project.slug}/${path}`)
    },
    check: (state) => checkPage(page, state),
    colleague: async (role) => {
      const person = await makePerson(database, { viewer: 'Vera Viewer', member: 'Mo Member', admin: 'Ada Admin' }[role])
      await addTeamMember(database, { team_id: team.id, userId: person.id, role })
      return { page: (await signIn(person)).page, name: person.name }
    },
    setPlan: async (plan) => {
      await setTeamPlan(database, { team_id: team.id, plan })
    },
    async [Symbol.asyncDispose]() {
      for (const one of contexts) await one.close()
    },
  }
}

let hash: Promise<string> | undefined

/** Hashing a password is slow on purpose: all have the same. */
async function makePerson(database: Database, name: string): Promise<UserRow> {
  hash ??= hashPassword(PASSWORD)
  return createUser(database, { email: `${randomBytes(6).toString('hex')}@example.com`, name, passwordHash: await hash })
}

function collectComplaints(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    // A flow that takes the connection away does so on purpose.
    if (message.text().includes('net::ERR_INTERNET_DISCONNECTED')) return
    if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', ({ message }) => complaints.push(`${page.url()}: ${message}`))
}

interface Finding {
  id: string
  help: string
  nodes: { html: string }[]
}

async function checkPage(page: Page, state: string): Promise<void> {
  // A script that asks for layout gets that without the style sheets which are still on their way.
  await page.waitForLoadState()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(SETTLED)
    const findings = await runAxe(page)
    if (findings.length > 0) throw new Error(`axe, ${state}, ${colorScheme}: ${findings.map(describe).join('; ')}`)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
  if (isWide) throw new Error(`${state}: the page is wider than the window`)
}

/** axe runs in the page's own world through the debugger, which the page's policy does not concern. */
async function runAxe(page: Page): Promise<Finding[]> {
  const session = await page.context().newCDPSession(page)
  try {
    await session.send('Runtime.evaluate', { expression: AXE })
    const { result } = await session.send('Runtime.evaluate', {
      expression: `axe.run(document, ${JSON.stringify({ runOnly: RULES })}).then(({ violations }) => JSON.stringify(violations))`,
      awaitPromise: true,
      returnByValue: true,
    })
    return JSON.parse(String(result.value))
  } finally {
    await session.detach()
  }
}

function describe({ id, help, nodes }: Finding): string {
  return `${id} (${help}): ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`
}
