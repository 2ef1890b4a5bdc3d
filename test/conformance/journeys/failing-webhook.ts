import { equal } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ok, type Receiver, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import type { Company, Fixture, Journey } from './fixture.ts'

const OWNER = 'Sam Okonkwo'
const WORDS = [
  { author: 'Leila Haddad', body: 'The guide turned us back before the wind did. Best morning of our trip.', rating: 5 },
  { author: 'Otto Brandt', body: 'Dry bags that are dry. I had given up on that.', rating: 5 },
  { author: 'Mei Chen', body: 'Good boats. The hut needs a sign, we walked past it twice.', rating: 4 },
] as const
const CRASH = 'TypeError: Cannot read properties of null (reading "rating")\n    at onFeedback (crm/hooks.js:41:23)'

/** The receiver of a team fails; its owner finds out why, and sends again what was missed. */
export const failingWebhook: Journey = {
  name: 'failing-webhook',
  tell: async (fixture) => {
    let isMended = false
    await using receiver = await startReceiver((response) =>
      isMended ? ok(response) : response.writeHead(500, { 'content-type': 'text/plain' }).end(CRASH),
    )
    const company = await fixture.company({ team: 'Tidewater', project: 'Tidewater Kayaks', people: [OWNER] })
    const page = await company.signIn(OWNER, '-/webhooks')
    await addEndpoint(page, `${receiver.url}/earshot`)
    await leaveWords(company)
    await untilAllFailed(company)
    await find(fixture, page)
    isMended = true
    await replay(fixture, page)
    await expectReplayed(company, receiver)
  },
}

async function addEndpoint(page: Page, address: string): Promise<void> {
  await page.getByRole('button', { name: 'New endpoint' }).first().click()
  await page.getByLabel('Address').fill(address)
  await page.getByLabel('Description').fill('CRM')
  await page.getByLabel('Only these types').check()
  await page.getByLabel('submission.created').check()
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  await page.getByRole('dialog', { name: 'The endpoint is ready' }).getByRole('button', { name: 'I have stored the secret' }).click()
  await page.getByRole('heading', { name: 'CRM' }).waitFor()
}

async function leaveWords({ client, publicKey }: Company): Promise<void> {
  for (const { author, ...words } of WORDS)
    await client.public.submissions.create({ public_key: publicKey, ...words, author: { name: author }, consent: { granted: true } })
}

async function untilAllFailed({ client, project: { team_id } }: Company): Promise<void> {
  await until('every event was tried', async () => {
    const [webhook] = (await client.webhooks.list({ team_id })).results
    const attempts = await client.webhooks.attempts.list({ team_id, webhook_id: webhook?.id ?? '', outcome: 'failed' })
    return attempts.results.length === WORDS.length
  })
}

async function find({ shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.waitForURL(/\/-\/webhooks$/)
  await page.reload()
  await page.getByRole('link', { name: /CRM.*0%/ }).waitFor()
  await shoot(page, 'failing')
  await page.getByRole('link', { name: /CRM/ }).click()
  await page
    .getByRole('link', { name: /submission\.created/ })
    .first()
    .click()
  const panel = page.getByRole('region', { name: 'Delivery', exact: true })
  await panel.getByText('The receiver responded with 500.').waitFor()
  await panel.getByText('The receiver failed. Look in its logs at this time.').waitFor()
  await panel.getByText('TypeError: Cannot read properties of null').waitFor()
  await panel.getByText('TypeError: Cannot read properties of null').scrollIntoViewIfNeeded()
  await shoot(page, 'why')
}

async function replay({ shoot }: Fixture, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Replay' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replay events' })
  await dialog.getByRole('button', { name: 'Last hour' }).click()
  await shoot(page, 'replay')
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
  await dialog.getByText('3 events match.').waitFor()
  await dialog.getByRole('button', { name: 'Follow its deliveries' }).click()
  for (let index = 0; index < WORDS.length; index += 1)
    await page
      .getByRole('link', { name: /^succeeded/ })
      .nth(index)
      .waitFor()
  await page
    .getByRole('link', { name: /^succeeded/ })
    .first()
    .click()
  const panel = page.getByRole('region', { name: 'Delivery', exact: true })
  await panel.getByText('The receiver accepted it with 200.').waitFor()
  await shoot(page, 'delivered')
}

/** Every event came again, each once. */
async function expectReplayed({ client, project: { team_id } }: Company, { requests }: Receiver): Promise<void> {
  const [webhook] = (await client.webhooks.list({ team_id })).results
  const { results } = await client.webhooks.deliveries.list({ team_id, webhook_id: webhook?.id ?? '', state: 'succeeded' })
  equal(results.filter(({ replay_id }) => replay_id !== null).length, WORDS.length)
  for (const { body } of WORDS) equal(requests.filter((request) => request.body.toString().includes(body)).length >= 2, true)
}
