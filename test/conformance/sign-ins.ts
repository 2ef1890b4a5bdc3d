import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import { account } from './account.ts'
import { openChromium } from './chromium.ts'
import { TOP } from './command.ts'

const SCREENSHOTS = join(TOP, '.conformance/screenshots')
/** A phone of today. */
const PHONE = { viewport: { width: 390, height: 320 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const LIMIT_MS = 60_000

/**
 * Signs in with openid-client and oauth4webapi, by the examples of docs/signing-in.md, against the running service. A real
 * Chromium plays the person and takes the screenshots. Resolves to the problem, or null.
 */
export async function checkSignIns(): Promise<string | null> {
  const chromium = await openChromium()
  if (typeof chromium === 'string') return chromium
  try {
    return await signIn(chromium)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await chromium.close()
  }
}

/** Copies the screenshots into the documentation. */
export function keepScreenshots(): void {
  for (const name of ['device-page.png', 'consent-page.png']) copyFileSync(join(SCREENSHOTS, name), join(TOP, 'docs', name))
}

async function signIn(chromium: Browser): Promise<string | null> {
  const [port, appPort] = await Promise.all([freePort(), freePort()])
  const url = `http://localhost:${port}`
  const appUrl = `http://127.0.0.1:${appPort}/`
  await using data = makeDataDir()
  await using _service = await startService({ EARSHOT_DATA_DIR: data.path, PORT: String(port), EARSHOT_LOG_LEVEL: 'warn' })
  const environment = { EARSHOT_DATA_DIR: data.path }
  await runAdmin(environment, 'user', 'create', '--email', account.email, '--password', account.password)
  await runAdmin(environment, 'team', 'create', '--name', 'Compilers', '--owner', account.email)
  const registered = [
    '--name',
    'Wall of praise',
    '--type',
    'confidential',
    '--redirect-uri',
    `${appUrl}callback`,
    '--scopes',
    'read:teams,read:submissions',
  ]
  const client = JSON.parse(await runAdmin(environment, 'oauth-client', 'create', ...registered, '--json'))

  mkdirSync(SCREENSHOTS, { recursive: true })
  const page = await (await chromium.newContext(PHONE)).newPage()
  const complaints = collectComplaints(page, url)

  using device = runExample('sign-in-device.ts', { EARSHOT_URL: url })
  await page.goto(await device.prints(/open (\S+) and/))
  await page.getByLabel('E-mail address').fill(account.email)
  await page.getByLabel('Password').fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await page.screenshot({ path: join(SCREENSHOTS, 'device-page.png'), fullPage: true })
  await page.getByRole('button', { name: 'Allow' }).click()
  await device.prints(/signed in as (grace@example\.com) by oauth2/)

  using app = runExample('sign-in-web-app.ts', {
    ...{ EARSHOT_URL: url, APP_URL: appUrl },
    ...{ CLIENT_ID: client.client_id, CLIENT_SECRET: client.client_secret },
  })
  await page.goto(await app.prints(/listening at (\S+)/))
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await page.screenshot({ path: join(SCREENSHOTS, 'consent-page.png'), fullPage: true })
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Thank you').waitFor()
  await app.prints(/may see (Compilers)/)

  console.log('openid-client and oauth4webapi signed in, with Chromium as the person')
  return complaints.length === 0 ? null : `Chromium reported: ${complaints.join('; ')}`
}

/** Collects the errors and warnings that the browser reports about the service's pages. */
function collectComplaints(page: Page, url: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && message.location().url.startsWith(url)) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  return complaints
}

interface Example extends Disposable {
  /** Waits for output that matches and returns the first group. */
  prints: (pattern: RegExp) => Promise<string>
}

function runExample(name: string, environment: Record<string, string>): Example {
  const child: ChildProcess = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', `examples/${name}`], {
    cwd: TOP,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return {
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${name} did not print ${pattern}:\n${printed}`)), LIMIT_MS)
        const look = () => {
          const found = pattern.exec(printed)?.[1]
          if (found === undefined) return
          clearTimeout(timer)
          resolve(found)
        }
        child.stdout?.on('data', look)
        look()
      }),
    [Symbol.dispose]: () => void child.kill(),
  }
}
