import type { EmbedFixture } from './embed-fixture.ts'
import { openHost } from './embed-host.ts'
import { expectEqual, watchPage } from './embed-page.ts'
import { WITHOUT_STORAGE } from './visitor-browser.ts'

const PHONE = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 900 }

/** Messages of the form's own page count, and those of others do not. */
export async function receiveFromForm({ browser, host, script }: EmbedFixture): Promise<void> {
  using other = await openHost()
  const say = (...messages: object[]) => messages.map((message) => `parent.postMessage(${JSON.stringify(message)}, '*')`).join('; ')
  other.show(
    {
      body: `<script>addEventListener('click', () => { ${say({ type: 'earshot:sent' })} }); ${say({ type: 'earshot:size', height: 1e9 }, { type: 'earshot:size', height: 321 })}</script>`,
    },
    '/c/pk_form',
  )
  const foreign = host.show({ body: `<script>${say({ type: 'earshot:size', height: 50 }, { type: 'earshot:sent' })}</script>` })
  await using watched = await watchPage(browser, { viewport: WIDE })
  const { page } = watched
  const body = `<iframe src="${foreign}"></iframe><earshot-form key="pk_form" base="${other.origin}"><a href="/contact">Write to us</a></earshot-form>`
  await page.goto(host.show({ body, head: script }))
  const frame = page.locator('earshot-form iframe')
  await watched.until("told.includes('load earshot-form')")
  expectEqual('the height of the form', (await frame.boundingBox())?.height, 321)
  expectEqual('events before anything was sent', await watched.told(), ['load earshot-form'])
  await frame.click()
  await watched.until("told.includes('sent earshot-form')")
  expectEqual('the name of the frame', await frame.getAttribute('title'), 'Feedback form')
  expectEqual('what the frame may use', await frame.getAttribute('allow'), 'camera; microphone')
  expectEqual(
    'findings of axe',
    (await watched.findings()).filter((finding) => finding.includes('earshot-form')),
    [],
  )
}

/** A browser that blocks what other sites keep: the elements work, and what a visitor types is sent. */
export async function keepNothing({ browser, host, service, script }: EmbedFixture): Promise<void> {
  const { widgets, publicKey, url } = service
  await using watched = await watchPage(browser, { viewport: PHONE, locale: 'en-US', before: WITHOUT_STORAGE })
  const { page } = watched
  const body = `<earshot-badge widget="${widgets.badge}"></earshot-badge><earshot-form key="${publicKey}"></earshot-form>
    <earshot-wall widget="${widgets.wall}"></earshot-wall>`
  await page.goto(host.show({ body, head: script }))
  await page.locator('earshot-wall .card >> nth=11').waitFor()
  await page.locator('earshot-badge .badge').waitFor()
  const form = page.frameLocator('earshot-form iframe')
  await form.getByLabel('What changed for you?').fill('From a frame that keeps nothing.')
  await form.getByLabel('Your name').fill('Ada')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByRole('heading', { name: 'Thank you, Ada.' }).waitFor()
  await watched.until("told.includes('sent earshot-form')")
  expectEqual('the console', watched.complaints, [])
  expectEqual('the number of cookies', await watched.cookies(), 0)
  expectEqual(
    'requests to others',
    watched.requests.filter((asked) => !asked.startsWith(url) && !asked.startsWith(host.origin)),
    [],
  )
}
