import { verifyWebhook } from '@earshot/contracts/webhooks'
import type { Locator, Page } from 'playwright-core'
import { ok, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { type Fixture, type Flow, SIZES } from './fixture.ts'

/** Sends the words of a customer, which makes one event. */
async function submit({ client, team, project }: Fixture, body: string): Promise<void> {
  await client.submissions.create({ team_id: team.id, project_id: project.id, kind: 'text', body, author: { name: 'Ada Lovelace' } })
}

/** Moves the focus by Tab until it is on the control of this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 120; presses += 1) {
    const focused = await page.evaluate<string>(
      '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "").trim()',
    )
    if (focused === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reached "${name}"`)
}

async function endpointOf({ client, team }: Fixture, url: string) {
  return client.webhooks.create({ team_id: team.id, url, events: ['submission.created'], description: 'Data warehouse' })
}

const failingFlow: Flow = {
  name: 'a failing webhook is found and replayed',
  run: async (fixture) => {
    const { page, open, check, client, team } = fixture
    let isRepaired = false
    await using receiver = await startReceiver((response) => {
      if (isRepaired) return ok(response)
      response.writeHead(404, { 'content-type': 'text/plain', 'x-app': 'warehouse' }).end('No route POST /hooks')
    })
    const { id } = await endpointOf(fixture, `${receiver.url}/hooks`)
    const ref = { team_id: team.id, webhook_id: id }
    await submit(fixture, 'It saved us a week.')
    await until(
      'the delivery failed',
      async () => (await client.webhooks.deliveries.list({ ...ref, state: 'failed' })).results.length === 1,
    )

    await open('-/webhooks')
    await page.getByText('1 failed in a row').waitFor()
    await check('a failing endpoint in the list')
    await page.getByRole('link', { name: /Data warehouse/ }).click()
    await page.getByLabel('State').selectOption('failed')
    await page.getByRole('link', { name: /submission\.created/ }).click()
    const panel = page.getByRole('region', { name: 'Delivery', exact: true })
    await panel.getByText('The receiver responded with 404.').waitFor()
    await panel.getByText('Nothing is at this path. Check the address of the endpoint.').waitFor()
    await panel.getByText('No route POST /hooks').waitFor()
    await panel.getByText(/^Response: \d+ headers$/).click()
    await panel.getByText('x-app: warehouse').waitFor()
    await panel.getByText('Request', { exact: true }).click()
    await panel.getByText(`POST ${receiver.url}/hooks`).waitFor()
    await panel.getByRole('figure', { name: 'Payload' }).getByText('It saved us a week.').waitFor()
    await check('a failed delivery')

    isRepaired = true
    await page.getByRole('button', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay events' })
    await check('replay')
    await dialog.getByRole('button', { name: 'Last 24 hours' }).click()
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
    await dialog.getByText('1 event matches.').waitFor()
    await dialog.getByRole('button', { name: 'Follow its deliveries' }).click()
    await page.getByRole('link', { name: /^succeeded/ }).waitFor()
    const replay_id = new URL(page.url()).searchParams.get('replay') ?? ''
    const { results } = await client.webhooks.deliveries.list({ ...ref, replay_id })
    if (results[0]?.state !== 'succeeded') throw new Error('The replay delivered nothing')
    if (receiver.requests.length !== 2) throw new Error(`The receiver got ${receiver.requests.length} requests, not 2`)
    await page.getByText(/^Last success/).waitFor()
    await page.getByText('1 failed in a row').waitFor({ state: 'detached' })
  },
}

const retryFlow: Flow = {
  name: 'a webhook whose attempts only fail is shown as failing before its delivery is given up',
  run: async (fixture) => {
    const { page, open, check, client, team } = fixture
    await using receiver = await startReceiver((response) => void response.writeHead(503).end('Down for repair'))
    const { id } = await endpointOf(fixture, receiver.url)
    await submit(fixture, 'It will come later.')
    await until('it waits for the next attempt', async () => {
      const { results } = await client.webhooks.deliveries.list({ team_id: team.id, webhook_id: id, state: 'pending' })
      return results[0]?.attempt_count === 1
    })
    await open('-/webhooks')
    await page.getByText(/^Failing: next attempt in/).waitFor()
    await check('an endpoint that only retries')
    await page.getByRole('link', { name: /Data warehouse/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Data warehouse' }).waitFor()
    await page.getByText(/^Failing: next attempt in/).waitFor()
    // What the receiver said is there without scrolling.
    await page.getByRole('link', { name: /submission\.created/ }).click()
    const body = page.getByRole('region', { name: 'Delivery', exact: true }).getByText('Down for repair').first()
    await body.waitFor()
    if (fixture.size === 'laptop' && !(await isInWindow(body))) throw new Error('The response lies below the window')
    await page.getByRole('link', { name: 'All endpoints' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  },
}

async function isInWindow(locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= SIZES.laptop.height
}

const redeliverFlow: Flow = {
  name: 'a delivery is sent again, and a webhook is paused',
  run: async (fixture) => {
    const { page, open, check, client, team } = fixture
    await using receiver = await startReceiver()
    const { id } = await endpointOf(fixture, receiver.url)
    await submit(fixture, 'Again, please.')
    await until('it was received', () => receiver.requests.length === 1)
    const ref = { team_id: team.id, webhook_id: id }
    await until('it succeeded', async () => (await client.webhooks.deliveries.list({ ...ref, state: 'succeeded' })).results.length === 1)
    await open(`-/webhooks/${id}`)
    await page.getByRole('link', { name: /submission\.created/ }).click()
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('the first delivery').waitFor()
    await until('it was received again', () => receiver.requests.length === 2)
    const panel = page.getByRole('region', { name: 'Delivery', exact: true })
    await panel.getByText('The receiver accepted it with 200.').waitFor()
    const sent = (await client.webhooks.deliveries.list(ref)).results
    if (sent.filter(({ replay_of }) => replay_of !== null).length !== 1) throw new Error('No delivery repeats the first')

    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('New events are skipped. After you resume').waitFor()
    if ((await client.webhooks.retrieve(ref)).state !== 'paused') throw new Error('It is not paused')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('link', { name: 'Figures' }).click()
    await page.getByText('Attempts by hour').waitFor()
    await page.getByText('Show as a table').click()
    await check('figures')
    await page.getByRole('link', { name: 'Attempts' }).click()
    await page.getByRole('link', { name: /Redeliver/ }).waitFor()
    await check('attempts')
  },
}

const createFlow: Flow = {
  name: 'a new endpoint says what is wrong beside its fields',
  run: async (fixture) => {
    const { page, open, check, client, team, expectRefusal } = fixture
    await using receiver = await startReceiver()
    await open('-/webhooks')
    await page.getByText('No endpoint yet').waitFor()
    await check('no endpoint')
    await page.getByRole('button', { name: 'New endpoint' }).first().click()
    await page.getByLabel('Address').fill('https://10.0.0.1/hooks')
    await page.getByRole('button', { name: 'Create the endpoint' }).click()
    await page.getByText('Webhooks cannot be sent to private, local or reserved addresses.').waitFor()
    expectRefusal(400)
    if ((await page.getByLabel('Address').and(page.locator(':focus')).count()) !== 1)
      throw new Error('The focus is not on the field that is wrong')
    await page.getByLabel('Address').fill(`${receiver.url}/hooks`)
    await page.getByLabel('Description').fill('Warehouse')
    await page.getByLabel('Only these types').check()
    await page.getByRole('button', { name: 'Add a header' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Host')
    await page.getByLabel('Value', { exact: true }).fill('example.com')
    await page.getByRole('button', { name: 'Create the endpoint' }).click()
    await page.getByText('the service sets this header itself').waitFor()
    expectRefusal(400)
    await check('a form with errors')
    await page.getByLabel('Name', { exact: true }).fill('X-Tenant')
    await page.getByLabel('submission.approved').check()
    await page.getByRole('button', { name: 'Create the endpoint' }).click()
    const dialog = page.getByRole('dialog', { name: 'The endpoint is ready' })
    const secret = (await dialog.locator('code').first().textContent()) ?? ''
    await check('the secret')
    await dialog.getByRole('button', { name: 'I have stored the secret' }).click()

    await page.getByRole('button', { name: 'Send a test' }).click()
    const test = page.getByRole('dialog', { name: 'Send a test' })
    await test.getByLabel('Event').selectOption('nps.low_score')
    await test.getByRole('button', { name: 'Send', exact: true }).click()
    await test.getByText('The receiver accepted it with 200.').waitFor()
    await check('the result of a test')
    const [request] = receiver.requests
    if (!request) throw new Error('The receiver got nothing')
    const event = await verifyWebhook(request.body, request.headers, secret)
    if (event.type !== 'nps.low_score' || request.headers['x-tenant'] !== 'example.com') throw new Error('Another test was sent')
    const [made] = (await client.webhooks.list({ team_id: team.id })).results
    if (made?.events.join() !== 'submission.approved') throw new Error(`It gets ${made?.events.join()}`)
  },
}

const rotateFlow: Flow = {
  name: 'a webhook secret is rotated by keyboard alone',
  run: async (fixture) => {
    const { page, open, check, client, team } = fixture
    await using receiver = await startReceiver()
    const created = await endpointOf(fixture, receiver.url)
    await open(`-/webhooks/${created.id}`)
    await page.getByRole('heading', { name: 'Data warehouse' }).waitFor()
    await tabTo(page, 'Settings')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Signing secret' }).waitFor()
    await page.getByRole('tab', { name: 'Node' }).waitFor()
    await check('settings')
    await tabTo(page, 'Rotate the secret')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Rotate the secret?' }).waitFor()
    await tabTo(page, 'Rotate the secret')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'The new secret' })
    await dialog.waitFor()
    const secret = (await dialog.locator('code').first().textContent()) ?? ''
    await tabTo(page, 'I have stored the secret')
    await page.keyboard.press('Enter')
    await page.getByText(/The previous secret signs for 23 h 5\d min more/).waitFor()
    await check('two secrets')
    await tabTo(page, 'Node')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('tabpanel').getByText('openssl dgst').first().waitFor()

    await client.webhooks.test({ team_id: team.id, webhook_id: created.id })
    const [request] = receiver.requests
    if (!request) throw new Error('The receiver got nothing')
    for (const valid of [secret, created.secret]) await verifyWebhook(request.body, request.headers, valid)
  },
}

const deleteFlow: Flow = {
  name: 'a webhook is changed and deleted',
  run: async (fixture) => {
    const { page, open, client, team } = fixture
    const { id } = await endpointOf(fixture, 'https://example.com/hooks')
    await open(`-/webhooks/${id}?tab=settings`)
    await page.getByLabel('Description').fill('Old warehouse')
    await page.getByRole('button', { name: 'Save the changes' }).click()
    await page.getByRole('heading', { name: 'Old warehouse' }).waitFor()
    const changed = await client.webhooks.retrieve({ team_id: team.id, webhook_id: id })
    if (changed.description !== 'Old warehouse' || changed.events.join() !== 'submission.created')
      throw new Error('It was not saved as shown')
    await page.getByRole('button', { name: 'Delete the endpoint' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the endpoint' }).click()
    await page.getByText('No endpoint yet').waitFor()
    if ((await client.webhooks.list({ team_id: team.id })).results.length > 0) throw new Error('It was not deleted')
  },
}

const roleFlow: Flow = {
  name: 'a member reads whom to ask about webhooks',
  run: async ({ url, team, colleague, setPlan, open, page, check }) => {
    const { page: theirs } = await colleague('member')
    for (const path of ['webhooks', 'events', 'audit-log']) {
      await theirs.goto(`${url}/app/${team.slug}/-/${path}`)
      await theirs.getByText('Ask an admin or an owner: Grace Hopper.').waitFor()
    }
    await setPlan('free')
    await open('-/webhooks')
    await page.getByText('The free plan has no webhooks').waitFor()
    await check('a plan without webhooks')
  },
}

export const webhookFlows: readonly Flow[] = [failingFlow, retryFlow, redeliverFlow, createFlow, rotateFlow, deleteFlow, roleFlow]
