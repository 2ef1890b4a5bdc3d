import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Scope } from '@earshot/contracts'
import { type Client, createClient } from '@earshot/contracts/client'
import { addTeamMember, createTeamFor, createUser, type Database, type UserRow } from '@earshot/db'
import { hashPassword } from '@earshot/server'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { makeTokenOf } from '../../support/people.ts'
import { TOP } from '../command.ts'

/** Where the pictures of the last run are. */
export const PICTURES = join(TOP, '.conformance/journeys')
const SCREENS = {
  laptop: { viewport: { width: 1_200, height: 750 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
} as const
/** How long a step may take on a machine that does something else, too. */
const LIMIT_MS = 60_000
const PASSWORD = 'seven quiet engines hum'
/** What a page shows while it waits for something. */
const WAITING = '.skeleton, [aria-busy="true"]'

/** A story of users, told by role and name. Throws when it does not go on as they expect. */
export interface Journey {
  /** Names the folder of its pictures. */
  name: string
  tell: (fixture: Fixture) => Promise<void>
}

/** A browser of one person. */
interface Visit {
  page: Page
  context: BrowserContext
}

/** A company that has begun already, and the API to see what really happened. */
export interface Company {
  client: Client
  project: { team_id: string; project_id: string }
  publicKey: string
  /** Signs somebody of the company in, in a browser of their own, and opens a page of the project or, with `-/`, of the team. */
  signIn: (name: string, path: string) => Promise<Page>
}

/** Where a journey happens. */
export interface Fixture {
  url: string
  /** For the admin CLI. */
  environment: Record<string, string>
  /** Opens a browser of somebody whom the service does not know. */
  visit: (screen: keyof typeof SCREENS) => Promise<Visit>
  /** Makes a team with its people, of whom the first one owns it, and a project. */
  company: (told: { team: string; project: string; people: readonly string[] }) => Promise<Company>
  /** Takes the next picture, once nothing moves or loads on the page. */
  shoot: (page: Page, what: string) => Promise<void>
  /** What browsers reported: errors, warnings and breaches of policies. */
  complaints: readonly string[]
}

interface Place {
  browser: Browser
  url: string
  environment: Record<string, string>
  database: Database
}

/** Opens the fixture of one journey. */
export function openFixture({ browser, url, environment, database }: Place, journey: string): Fixture & AsyncDisposable {
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  const folder = join(PICTURES, journey)
  let taken = 0
  const visit = async (screen: keyof typeof SCREENS): Promise<Visit> => {
    const look = { locale: 'en', timezoneId: 'UTC', colorScheme: 'light', reducedMotion: 'reduce' } as const
    const context = await browser.newContext({ ...SCREENS[screen], ...look })
    contexts.push(context)
    context.setDefaultTimeout(LIMIT_MS)
    context.on('page', (page) => collectComplaints(page, complaints))
    return { context, page: await context.newPage() }
  }
  return {
    ...{ url, environment, visit, complaints },
    company: (told) => makeCompany({ url, database, visit }, told),
    shoot: async (page, what) => {
      // Nothing is under the pointer.
      await page.mouse.move(0, 0)
      await page.locator(WAITING).first().waitFor({ state: 'detached' })
      await page.evaluate('document.fonts.ready.then(() => null)')
      await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null)')
      mkdirSync(folder, { recursive: true })
      taken += 1
      await page.screenshot({ path: join(folder, `${String(taken).padStart(2, '0')}-${what}.png`), caret: 'hide' })
    },
    async [Symbol.asyncDispose]() {
      for (const context of contexts) await context.close()
    },
  }
}

async function makeCompany(
  { url, database, visit }: Pick<Place, 'url' | 'database'> & Pick<Fixture, 'visit'>,
  { team: name, project, people }: { team: string; project: string; people: readonly string[] },
): Promise<Company> {
  const passwordHash = await hashPassword(PASSWORD)
  const users: UserRow[] = []
  for (const person of people) users.push(await createUser(database, { email: addressOf(person), name: person, passwordHash }))
  const [owner, ...others] = users
  if (!owner) throw new Error('A team has an owner')
  const team = await createTeamFor(database, owner, { name, plan: 'business' })
  for (const { id } of others) await addTeamMember(database, { team_id: team.id, userId: id, role: 'member' })
  const client = createClient({ baseUrl: url, token: await makeTokenOf(database, owner, Scope.options) })
  const made = await client.projects.create({ team_id: team.id, name: project, theme: { color: '#0a6b58' } })
  const ref = { team_id: team.id, project_id: made.id }
  const { key } = await client.publicKeys.create({ ...ref, label: 'Website' })
  return {
    ...{ client, project: ref, publicKey: key },
    signIn: async (person, path) => {
      const { page } = await visit('laptop')
      const place = path.startsWith('-/') ? `/app/${team.slug}/${path}` : `/app/${team.slug}/${made.slug}/${path}`
      await page.goto(`${url}/accounts/sign-in/?${new URLSearchParams({ next: place })}`)
      await page.getByLabel('E-mail address').fill(addressOf(person))
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(url + place)
      return page
    },
  }
}

function addressOf(person: string): string {
  const ascii = person.normalize('NFD').replaceAll(/[^A-Za-z ]/g, '')
  return `${ascii.toLowerCase().replaceAll(' ', '.')}@example.com`
}

function collectComplaints(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', ({ message }) => complaints.push(`${page.url()}: ${message}`))
}
