import { equal } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { runAdmin } from '../../support/run-admin.ts'
import { openHost } from '../embed-host.ts'
import type { Fixture, Journey } from './fixture.ts'

const EMAIL = 'maya.lindqvist@example.com'
const PASSWORD = 'nine slow trams at dawn'
const WORDS = 'I used to lose a Sunday each month to invoices. Now they are sent before my coffee is cold.'
const SITE = `body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #f6f7f9 }
  main { max-width: 60rem; margin: auto; padding: 4rem 1.5rem } h1 { font-size: 2.6rem; margin: 0 }
  p { font-size: 1.2rem; color: #4a5568 } h2 { margin: 3rem 0 1rem }`

/** From nothing to the words of a customer on a website. */
export const fromSignUp: Journey = {
  name: 'from-sign-up',
  tell: async (fixture) => {
    const { page } = await fixture.visit('laptop')
    await signUp(fixture, page)
    const form = await setUp(fixture, page)
    await leaveWords(fixture, form)
    await approve(fixture, page)
    await show(fixture, page)
  },
}

async function signUp({ url, environment, shoot }: Fixture, page: Page): Promise<void> {
  await page.goto(`${url}/accounts/sign-up/`)
  await page.getByLabel('Your name').fill('Maya Lindqvist')
  await page.getByLabel('E-mail address').fill(EMAIL)
  await shoot(page, 'sign-up')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText(`We sent a link to ${EMAIL}.`).waitFor()
  await page.goto(await mailedLink(environment))
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('E-mail address').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Welcome, Maya Lindqvist' }).waitFor()
}

/** Reads the mail as an operator without a mail server does. */
async function mailedLink(environment: Record<string, string>): Promise<string> {
  const mails: { to: string; text: string }[] = JSON.parse(await runAdmin(environment, 'mail', 'list', '--json'))
  const link = /https?:\/\/\S+/.exec(mails.find(({ to }) => to === EMAIL)?.text ?? '')?.[0]
  if (link === undefined) throw new Error('No mail with a link was sent')
  return link
}

/** Resolves to the address of the collection page. */
async function setUp({ shoot }: Fixture, page: Page): Promise<string> {
  await page.getByLabel('Name of your team').fill('Lindqvist Studio')
  await page.getByRole('button', { name: 'Create the team' }).click()
  await page.getByRole('heading', { name: 'Your first project' }).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Tallyroom')
  await page.getByRole('textbox', { name: 'Website' }).fill('https://tallyroom.example')
  await page.getByRole('button', { name: 'Create the project' }).click()
  await page.getByText('0 of 5 done').waitFor()
  await page.getByRole('link', { name: 'Choose the look' }).click()
  await page.getByRole('textbox', { name: 'Theme colour' }).fill('#0a6b58')
  await page.getByRole('button', { name: 'Save changes' }).last().click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('Saved.').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'First steps' }).click()
  await page.getByRole('button', { name: 'Create the public key' }).click()
  const form = page.getByRole('link', { name: 'Open the page' })
  await form.waitFor()
  await page.getByText('2 of 5 done').waitFor()
  await shoot(page, 'first-steps')
  return (await form.getAttribute('href')) ?? ''
}

async function leaveWords({ visit, shoot }: Fixture, form: string): Promise<void> {
  const { page } = await visit('phone')
  await page.goto(form)
  await page.getByRole('radio', { name: '5 of 5 stars' }).check({ force: true })
  await page.getByLabel('What changed for you?').fill(WORDS)
  await page.getByLabel('Your name').fill('Jonas Weber')
  await page.getByLabel('E-mail').fill('jonas@example.com')
  await page.getByText('Add a headline, your job or your company').click()
  await page.getByLabel('Company').fill('Weber Joinery')
  await page.getByLabel('Job title').fill('Carpenter')
  await page.getByRole('checkbox', { name: /I agree that my words may be published/ }).check()
  await page.evaluate('scrollTo(0, 0)')
  await shoot(page, 'collection-page')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Thank you, Jonas Weber.' }).waitFor()
  await shoot(page, 'thank-you')
}

async function approve({ shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Inbox/ }).click()
  await page.getByRole('option', { name: /Jonas Weber/ }).click()
  await page.getByRole('region', { name: 'Submission', exact: true }).getByText(WORDS).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Pending 1' }).waitFor()
  await shoot(page, 'inbox')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Approved Jonas Weber’s words').waitFor()
}

/** Makes a widget and looks at it as visitors do: on a page of its own, and in the website. */
async function show({ url, visit, shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Widgets' }).click()
  await page.getByRole('link', { name: 'Add a widget' }).last().click()
  await page.getByLabel('Name').fill('Home page')
  await page.getByRole('region', { name: 'Preview' }).getByText(WORDS).waitFor()
  await page.getByRole('button', { name: 'Create the widget' }).click()
  await page.getByRole('heading', { name: 'Put it on your website' }).waitFor()
  await page.getByText('Created. Copy the lines for your website.').waitFor({ state: 'detached' })
  const lines = (await page.locator('code', { hasText: '<earshot-wall' }).textContent()) ?? ''
  await page.getByRole('heading', { name: 'Home page' }).scrollIntoViewIfNeeded()
  await shoot(page, 'widget')
  const visitor = (await visit('laptop')).page
  const widget = /widget="([^"]+)"/.exec(lines)?.[1] ?? ''
  await visitor.goto(`${url}/w/${widget}`)
  await visitor.getByText(WORDS).waitFor()
  using host = await openHost()
  const body = `<p>Tallyroom writes, sends and chases your invoices. You do the work that they are for.</p><h2>What customers say</h2>${lines}`
  await visitor.goto(host.show({ heading: 'Invoices that send themselves', body, style: SITE }))
  await visitor.getByText(WORDS).waitFor()
  equal(new URL(visitor.url()).origin === url, false)
  await shoot(visitor, 'website')
}
