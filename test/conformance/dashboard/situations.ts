import { equal } from 'node:assert/strict'
import { until } from '../../support/until.ts'
import { type Fixture, type Flow, PASSWORD } from './fixture.ts'
import { leaveWords, stateOf } from './inbox.ts'

const refOf = ({ team, project }: Fixture) => ({ team_id: team.id, project_id: project.id })

/** Takes back what the browser reports of refusals that a flow brings about, however many requests were refused. */
function expectRefusals({ complaints, expectRefusal }: Fixture, status: number): void {
  while (complaints.some((complaint) => complaint.includes(`status of ${status}`))) expectRefusal(status)
}

/** Ends the session at the service, as an administrator or a new password does: the page learns of it by its next request. */
async function endSession({ context, url }: Fixture): Promise<void> {
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
  equal((await context.request.delete(`${url}/api/auth/session/`, { headers })).status(), 204)
}

async function signInAgain({ context, url, client }: Fixture): Promise<void> {
  const { user } = await client.me.retrieve()
  const data = { email: user.email, password: PASSWORD }
  equal((await context.request.post(`${url}/api/auth/session/`, { data })).ok(), true)
}

/** In several tabs, and while a plan, a role or a place changes under an open page. */
export const situationFlows: readonly Flow[] = [
  {
    name: 'a sign-out in another tab shows at once, and what was typed is still there afterwards',
    run: async (fixture) => {
      const { page, open, context, url, team, size, client } = fixture
      await open('settings')
      const text = page.getByRole('textbox', { name: 'Thank you' })
      await text.fill('A long text of Grace')
      const other = await context.newPage()
      await other.goto(`${url}/app/${team.slug}/-/usage`)
      if (size === 'phone') await other.getByRole('button', { name: 'Menu' }).click()
      await other.getByRole('button', { name: /Grace Hopper/ }).click()
      await other.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('dialog', { name: 'You are signed out' }).waitFor()
      await signInAgain(fixture)
      await page.getByRole('button', { name: 'I have signed in' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      equal(await text.inputValue(), 'A long text of Grace')
      await page.locator('form').filter({ has: text }).getByRole('button', { name: 'Save changes' }).click()
      await until('it is saved', async () => (await client.projects.retrieve(refOf(fixture))).thank_you_text === 'A long text of Grace')
      expectRefusals(fixture, 401)
    },
  },
  {
    name: 'nothing is changed in the name of somebody who has signed in meanwhile',
    run: async (fixture) => {
      const { page, open, context, client, size } = fixture
      const { page: other } = await fixture.colleague('admin')
      await open('settings')
      const text = page.getByRole('textbox', { name: 'Thank you' })
      await text.fill('A secret of Grace')
      const cookies = await other.context().cookies()
      // Another window: this one only loses the focus.
      await page.evaluate("dispatchEvent(new Event('blur'))")
      await context.clearCookies()
      await context.addCookies(cookies)
      const before = await client.projects.retrieve(refOf(fixture))
      // The page is loaded anew, for whoever has the session.
      const loaded = page.waitForEvent('load')
      await page.locator('form').filter({ has: text }).getByRole('button', { name: 'Save changes' }).click()
      await loaded
      if (size === 'phone') await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await page.getByText('Ada Admin').first().waitFor()
      equal((await client.projects.retrieve(refOf(fixture))).thank_you_text, before.thank_you_text)
      equal(await page.getByText('A secret of Grace').count(), 0)
    },
  },
  {
    name: 'a decision that an ended session keeps back is told of, and sent after signing in again',
    run: async (fixture) => {
      const { page, open, check } = fixture
      const [only] = await leaveWords(fixture, ['Nora'])
      await open(`inbox?item=${only?.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved Nora’s words').waitFor()
      await endSession(fixture)
      const dialog = page.getByRole('dialog', { name: 'You are signed out' })
      await dialog.getByText('One decision is not sent yet.').waitFor()
      await check('a decision that waits for the sign-in')
      equal(await stateOf(fixture, only?.id ?? ''), 'pending')
      await signInAgain(fixture)
      await page.getByRole('button', { name: 'I have signed in' }).click()
      await until('the decision arrives', async () => (await stateOf(fixture, only?.id ?? '')) === 'approved')
      expectRefusals(fixture, 401)
    },
  },
  {
    name: 'a plan that is lowered while pages are open is explained on each of them',
    run: async (fixture) => {
      const { page, open, setPlan, client, team, check } = fixture
      const { id } = await client.webhooks.create({ team_id: team.id, url: 'https://example.com/hooks', events: ['submission.created'] })
      await open(`-/webhooks/${id}`)
      const pause = page.getByRole('button', { name: 'Pause' })
      await pause.waitFor()
      await setPlan('free')
      // What the page asks by itself may be refused first, and then the button is gone.
      await pause.click({ timeout: 5_000 }).catch(() => {})
      await page.getByText('has changed from business to free').waitFor()
      await page.getByText('The free plan has no webhooks').waitFor()
      await check('an endpoint on a lower plan')
      await setPlan('business')
      await open('-/privacy')
      const exporting = page.getByRole('form', { name: 'Export' })
      await exporting.getByRole('textbox', { name: 'E-mail address' }).fill('ada@example.com')
      await setPlan('free')
      await exporting.getByRole('button', { name: 'Export' }).click()
      await page.getByText('The free plan does not include privacy requests').waitFor()
      expectRefusals(fixture, 402)
    },
  },
  {
    name: 'a role that is lowered and a membership that ends while a page is open are explained',
    run: async (fixture) => {
      const { client, team, url, colleague } = fixture
      const { page } = await colleague('admin')
      await page.goto(`${url}/app/${team.slug}/-/members`)
      await page.getByRole('button', { name: 'Invite' }).click()
      const { results } = await client.members.list({ team_id: team.id })
      const user_id = results.find(({ user }) => user.name === 'Ada Admin')?.user.id ?? ''
      await client.members.update({ team_id: team.id, user_id, role: 'viewer' })
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('linus@example.org')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByText('has changed from admin to viewer').waitFor()
      await until('what viewers may not do is gone', async () => (await page.getByRole('button', { name: 'Invite' }).count()) === 0)
      await client.members.delete({ team_id: team.id, user_id })
      await page.goto(`${url}/app/${team.slug}/-/members`)
      await page.getByRole('heading', { name: 'There is no such team' }).waitFor()
      expectRefusals(fixture, 403)
      expectRefusals(fixture, 404)
    },
  },
  {
    name: 'a project that is renamed or deleted while a page is open',
    run: async (fixture) => {
      const { page, open, client, team, url, check } = fixture
      const other = await client.projects.create({ team_id: team.id, name: 'Shop' })
      await page.goto(`${url}/app/${team.slug}/${other.slug}/testimonials`)
      await page.getByRole('heading', { level: 1, name: 'Testimonials' }).waitFor()
      await client.projects.update({ team_id: team.id, project_id: other.id, slug: 'boutique' })
      await openMissing(page, `/app/${team.slug}/${other.slug}/testimonials`)
      await page.waitForURL('**/boutique/testimonials**')
      await page.getByRole('heading', { level: 1, name: 'Testimonials' }).waitFor()
      await client.projects.delete({ team_id: team.id, project_id: other.id })
      await page.getByRole('checkbox', { name: 'Featured only' }).click()
      await page.getByRole('heading', { name: 'There is no such project' }).waitFor()
      await check('a project that is gone')
      await page.getByRole('link', { name: 'Go to your inbox' }).click()
      await page.getByRole('heading', { name: 'Inbox' }).waitFor()
      await open('inbox')
      expectRefusals(fixture, 404)
    },
  },
]

/** Opens testimonials of which one is not there, without loading the page anew. */
async function openMissing(page: Fixture['page'], address: string): Promise<void> {
  const missing = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01'
  await page.evaluate(`history.pushState({}, '', '${address}?item=${missing}'); dispatchEvent(new PopStateEvent('popstate'))`)
}
