import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createSecretBox, unsubscribeToken } from '@earshot/drivers'
import type { Page } from 'playwright-core'
import { codeOf } from '../support/authenticator.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import { openChromium } from './chromium.ts'
import { type Fixture, openFixture, PASSWORD, SIZES, type Size, type Surroundings } from './dashboard/fixture.ts'

const CALLBACK = 'https://app.example/callback'
const CLI = 'earshot-cli'
const SIGNED_OUT = ['/accounts/sign-in/', '/accounts/sign-up/', '/accounts/password-reset/', '/accounts/password-reset/?token=x']
const PUBLIC = [...SIGNED_OUT, '/accounts/verify-email/?token=x', '/docs/errors/', '/docs/errors/validation_error']
const OWN = ['', 'profile/', 'notifications/', 'password/', 'second-factor/', 'sessions/', 'tokens/', 'invitation/?token=x']

/** What the pages are opened with, beside the person. */
interface Given {
  /** Makes what the links of mails carry. */
  unsubscribe: (user: { team_id: string; user_id: string }) => string
  consent: string
  /** Keeps a picture of a state, if somebody wants them. */
  keep: (page: Page, state: string) => Promise<void>
  /** What is wrong with the look of pages. */
  findings: string[]
}

/**
 * Opens every page without script in Chromium, on a phone and a laptop, light and dark, with axe and an empty console. `picturesIn` is a
 * folder for pictures of them. Resolves to the problems, or null.
 */
export async function checkAccountPages(picturesIn: string | null = null): Promise<string | null> {
  const browser = await openChromium()
  if (typeof browser === 'string') return browser
  const key = randomBytes(32)
  await using data = makeDataDir()
  const port = await freePort()
  const environment = { EARSHOT_DATA_DIR: data.path, EARSHOT_SECRET_KEY: key.toString('base64') }
  await using _service = await startService({ ...environment, PORT: String(port), EARSHOT_LOG_LEVEL: 'warn' })
  await using database = await data.openDatabase()
  const box = createSecretBox(key)
  const given = {
    unsubscribe: (user: { team_id: string; user_id: string }) => unsubscribeToken(box, { kind: 'pending', ...user }),
    consent: await consentPath(environment),
  }
  const problems: string[] = []
  try {
    for (const size of Object.keys(SIZES) as Size[]) {
      const keep = (page: Page, state: string) =>
        keepPictures(page, picturesIn && join(picturesIn, `${state.replaceAll(/\W+/g, '-')}-${size}`))
      const findings: string[] = []
      const problem = await openPages({ browser, url: `http://localhost:${port}`, database }, size, { ...given, keep, findings })
      for (const one of [...findings, ...(problem === null ? [] : [problem])]) problems.push(`${size}: ${one}`)
    }
  } finally {
    await browser.close()
  }
  return problems.length === 0 ? null : problems.join('\n')
}

async function openPages(surroundings: Surroundings, size: Size, given: Given): Promise<string | null> {
  try {
    await using fixture = await openFixture(surroundings, size)
    await openOwn(fixture, given)
    await openOAuth(fixture, given)
    const secret = await openSecondFactor(fixture, given)
    await openPublic(fixture, given, secret)
    return fixture.complaints.length === 0 ? null : `the browser reported: ${fixture.complaints.join('; ')}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The pages of the account, forms that are refused, and what forms lead to. */
async function openOwn(fixture: Fixture, given: Given): Promise<void> {
  const { page, url, client, team } = fixture
  for (const name of OWN) {
    await page.goto(`${url}/accounts/${name}`)
    await look(fixture, given, name === '' ? 'overview' : name)
  }
  await page.goto(`${url}/accounts/profile/`)
  await page.getByLabel('Name').fill('Ada King')
  await page.getByLabel('Language').fill('german of Austria')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It must be a BCP 47 language tag').waitFor()
  fixture.expectRefusal(400)
  await look(fixture, given, 'profile-refused')
  // The field to mend has the focus.
  await page.keyboard.press('Control+A')
  await page.keyboard.type('de-AT')
  await page.keyboard.press('Enter')
  await page.getByText('Your profile is saved.').waitFor()
  await look(fixture, given, 'profile-saved')
  const { user } = await client.me.retrieve()
  if (user.name !== 'Ada King' || user.locale !== 'de-AT') throw new Error(`saved as ${user.name}, ${user.locale}`)

  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Notifications' }).click()
  await page.getByLabel('Low NPS scores').selectOption('Never')
  await page.getByRole('button', { name: `Save for ${team.name}` }).click()
  await page.getByText(`Your choice for ${team.name} is saved.`).waitFor()
  await look(fixture, given, 'notifications-saved')

  await page.goto(`${url}/accounts/tokens/`)
  await page.getByLabel('Name').fill('CI')
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByText('Copy it now.').waitFor()
  await look(fixture, given, 'token-created')
  await page.goto(`${url}/accounts/unsubscribe/?token=${given.unsubscribe({ team_id: team.id, user_id: user.id })}`)
  await look(fixture, given, 'unsubscribe')
  await page.goto(`${url}/accounts/sessions/?cursor=x`)
  fixture.expectRefusal(400)
  await look(fixture, given, 'error')
}

/** The pages on which a person allows an application, and what they allowed. */
async function openOAuth(fixture: Fixture, given: Given): Promise<void> {
  const { page, url, context } = fixture
  await page.goto(url + given.consent)
  await look(fixture, given, 'consent')
  await page.goto(`${url}/o/device/`)
  await look(fixture, given, 'device')
  const form = { client_id: CLI, scope: 'read:profile read:teams' }
  const asked = await (await context.request.post(`${url}/o/device-authorization/`, { form })).json()
  await page.goto(`${url}/o/device/?user_code=${asked.user_code}`)
  await look(fixture, given, 'device-question')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Device connected' }).waitFor()
  await look(fixture, given, 'device-done')
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  await context.request.post(`${url}/o/token/`, { form: { grant_type, client_id: CLI, device_code: asked.device_code } })
  await page.goto(`${url}/accounts/applications/`)
  await page.getByRole('button', { name: 'Revoke' }).waitFor()
  await page.locator('summary').click()
  await look(fixture, given, 'applications')
}

/** Turns the second factor on. Returns its secret. */
async function openSecondFactor(fixture: Fixture, given: Given): Promise<string> {
  const { page, url } = fixture
  await page.goto(`${url}/accounts/second-factor/`)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set up' }).click()
  const secret = ((await page.locator('p > code').textContent()) ?? '').replaceAll(' ', '')
  await look(fixture, given, 'second-factor-secret')
  await page.getByLabel('Code from the app').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
  await look(fixture, given, 'recovery-codes')
  await page.goto(`${url}/accounts/second-factor/`)
  await look(fixture, given, 'second-factor-on')
  return secret
}

/** Signs out, opens the pages that need no session, and signs in again with a code. */
async function openPublic(fixture: Fixture, given: Given, secret: string): Promise<void> {
  const { page, url, client } = fixture
  const { email } = (await client.me.retrieve()).user
  await page.goto(`${url}/accounts/`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const path of PUBLIC) {
    await page.goto(url + path)
    await look(fixture, given, path)
  }
  await page.goto(`${url}/accounts/sign-in/?next=%2Faccounts%2Fprofile%2F`)
  const signIn = async (password: string) => {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await signIn('not the password')
  await page.getByRole('alert').waitFor()
  fixture.expectRefusal(401)
  await look(fixture, given, 'sign-in-refused')
  await signIn(PASSWORD)
  await page.getByLabel('Code from your authenticator app').waitFor()
  await look(fixture, given, 'code')
  await page.getByLabel('Code from your authenticator app').fill(codeOf(secret, 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Your profile' }).waitFor()
}

/** One page that looks wrong does not keep the others from being looked at. */
async function look({ check, page }: Fixture, { keep, findings }: Given, state: string): Promise<void> {
  await check(state).catch((error: Error) => findings.push(error.message))
  await keep(page, state)
}

async function keepPictures(page: Page, path: string | null): Promise<void> {
  if (path === null) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${path}-${colorScheme}.png`, fullPage: true, animations: 'disabled' })
  }
  await page.emulateMedia({ colorScheme: null })
}

/** The address of the consent page of an application. */
export async function consentPath(environment: Record<string, string>): Promise<string> {
  const registered = ['--name', 'Wall of praise', '--type', 'public', '--redirect-uri', CALLBACK, '--scopes', 'read:teams,read:submissions']
  const { client_id } = JSON.parse(await runAdmin(environment, 'oauth-client', 'create', ...registered, '--json'))
  const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
  return `/o/authorize/?${new URLSearchParams({ client_id, redirect_uri: CALLBACK, response_type: 'code', ...challenge })}`
}
