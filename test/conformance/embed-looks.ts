import type { EmbedFixture } from './embed-fixture.ts'
import { expectEqual, watchPage } from './embed-page.ts'

const WIDE = { width: 1280, height: 900 }

/** Where the page's policy allows the script of the elements alone, a video plays in its place. */
export async function playInPlace({ browser, host, service, script }: EmbedFixture): Promise<void> {
  await using watched = await watchPage(browser, { viewport: WIDE })
  const { page } = watched
  await page.route('**/embed-player-*.js', (route) => route.abort())
  await page.goto(host.show({ body: `<earshot-wall widget="${service.widgets.wall}"></earshot-wall>`, head: script }))
  await page.getByRole('button', { name: 'Play video of Jonas Weber' }).click()
  await watched.until("document.querySelector('earshot-wall').shadowRoot.querySelector('.film video')?.currentTime > 0")
  const player = page.locator('.film video')
  expectEqual('the name of the player', await player.getAttribute('aria-label'), 'Jonas Weber')
  expectEqual('the captions', await player.locator('track[kind=captions]').getAttribute('srclang'), 'en')
  const focused = await page.evaluate("document.querySelector('earshot-wall').shadowRoot.activeElement?.localName")
  expectEqual('what has the focus', focused, 'video')
}

/** One card is not stretched; a wall of a project has the project's colour. */
export async function lookRight({ browser, host, service, script }: EmbedFixture): Promise<void> {
  await using watched = await watchPage(browser, { viewport: { width: 1920, height: 900 } })
  const { page } = watched
  await page.goto(host.show({ body: `<earshot-wall public-key="${service.publicKey}" limit="1"></earshot-wall>`, head: script }))
  const card = page.locator('.card')
  await card.waitFor()
  expectEqual('a single card is at most 34rem wide', ((await card.boundingBox())?.width ?? 0) <= 544, true)
  const color = await page.evaluate(
    "getComputedStyle(document.querySelector('earshot-wall').shadowRoot.querySelector('.earshot')).getPropertyValue('--given')",
  )
  expectEqual('the colour of the project', color, '#2a7f62')
}
