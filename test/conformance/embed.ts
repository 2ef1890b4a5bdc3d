import { createClient } from '@earshot/contracts/client'
import { openChromium } from './chromium.ts'
import { type EmbedFixture, openWidgetService } from './embed-fixture.ts'
import { keepNothing, receiveFromForm } from './embed-form.ts'
import { openHost } from './embed-host.ts'
import { lookRight, playInPlace } from './embed-looks.ts'
import { expectEqual, requirePicture, watchPage } from './embed-page.ts'

const PHONE = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 900 }
/** What a page reserves so that its footer does not move. */
const RESERVED = 'earshot-wall { display: block; min-height: 100vh; }'
/** The page itself stays visible. */
const HOSTILE_STYLE = '* { all: unset !important; display: none !important } html, body, main, h1 { display: block !important }'
const HOSTILE_BEFORE = `
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(${JSON.stringify(HOSTILE_STYLE)})
  document.adoptedStyleSheets = [sheet]`

/** Embeds walls, badges and forms in pages of another origin, in a real Chromium. Resolves to the problem, or null. */
export async function checkEmbed(): Promise<string | null> {
  const browser = await openChromium()
  if (typeof browser === 'string') return browser
  try {
    await using service = await openWidgetService()
    using host = await openHost()
    const fixture = { browser, host, service, script: `<script src="${service.url}/embed.js"></script>` }
    for (const check of [
      embedStrictly,
      useKeys,
      keepStill,
      readWithoutScript,
      makeByScript,
      renewLinks,
      playInPlace,
      lookRight,
      receiveFromForm,
      keepNothing,
      embedAccessibly,
      failQuietly,
    ])
      await check(fixture)
    console.log('Embedded walls, badges and forms: shown under a strict policy, by keys alone, without findings of axe')
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await browser.close()
  }
}

/** Everything at once under a policy that allows nothing but the service, on a page whose styles hide all. */
async function embedStrictly({ browser, host, service, script }: EmbedFixture): Promise<void> {
  const { url, widgets, publicKey } = service
  const sources = ['script-src', 'connect-src', 'img-src', 'media-src', 'frame-src'].map((source) => `${source} ${url}`)
  const policy = ["default-src 'none'", ...sources, "style-src 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"].join(
    '; ',
  )
  const body = `<earshot-badge widget="${widgets.badge}"></earshot-badge>
    <earshot-wall widget="${widgets.wall}"></earshot-wall>
    <earshot-wall public-key="${publicKey}" layout="carousel" tag="launch"></earshot-wall>`
  await using watched = await watchPage(browser, { viewport: WIDE, before: HOSTILE_BEFORE })
  const { page, complaints, requests } = watched
  await page.goto(host.show({ body, head: script, policy }))
  for (const place of ['earshot-badge .badge', 'earshot-wall .wall .card >> nth=11', 'earshot-wall .carousel .card >> nth=1'])
    await page.locator(place).waitFor()
  await requirePicture(watched, url)
  await page.getByRole('button', { name: 'Play video of Jonas Weber' }).click()
  await watched.until("document.querySelector('earshot-wall').shadowRoot.querySelector('video')?.currentTime > 0")
  expectEqual('what the policy blocked', await watched.blocked(), [])
  expectEqual('the console', complaints, [])
  expectEqual('the layout shift', await watched.shift(), 0)
  expectEqual('the number of cookies', await watched.cookies(), 0)
  expectEqual('the title of the page', await page.title(), "A customer's site")
  const strangers = requests.filter((address) => !address.startsWith(url) && !address.startsWith(host.origin))
  expectEqual('requests to others', strangers, [])
  console.log(`${requests.length} requests for a badge, a wall, a carousel and a video`)
}

/** Light and dark, on a phone and a wide screen, in both directions. */
async function embedAccessibly({ browser, host, service, script }: EmbedFixture): Promise<void> {
  const { widgets, url } = service
  const style = ':root { color-scheme: light dark } body { background: Canvas; color: CanvasText }'
  const body = `<earshot-badge widget="${widgets.badge}" href="#reviews"></earshot-badge>
    <earshot-wall widget="${widgets.wall}"></earshot-wall><earshot-wall widget="${widgets.carousel}"></earshot-wall>`
  const pages = [
    host.show({ body, style, head: script }),
    host.show({ body, style, head: script, attributes: 'lang="ar" dir="rtl"' }),
    `${url}/w/${widgets.wall}`,
    `${url}/w/${widgets.badge}`,
    `${url}/w/none`,
  ]
  for (const address of pages)
    for (const viewport of [PHONE, WIDE, { width: 320, height: 256 }])
      for (const colorScheme of ['light', 'dark'] as const) {
        await using watched = await watchPage(browser, { viewport, colorScheme })
        const { page } = watched
        await page.goto(address)
        await watched.until(
          "[...document.querySelectorAll('earshot-wall, earshot-badge')].every(({ shadowRoot }) => shadowRoot.querySelector('.earshot'))",
        )
        const where = `${address} at ${viewport.width} px, ${colorScheme}`
        expectEqual(`findings of axe on ${where}`, await watched.findings(), [])
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expectEqual(`pixels to scroll sideways on ${where}`, overflow, 0)
      }
  await using watched = await watchPage(browser, { viewport: WIDE })
  await watched.page.goto(pages[1] ?? '')
  const first = await watched.page.locator('earshot-wall .wall .card').first().boundingBox()
  expectEqual('the first card of a right-to-left page is on the right', (first?.x ?? 0) + (first?.width ?? 0) > WIDE.width - 100, true)
}

/** Every function by keys alone. */
async function useKeys({ browser, host, service, script }: EmbedFixture): Promise<void> {
  const { widgets } = service
  await using watched = await watchPage(browser, { viewport: WIDE, reducedMotion: 'reduce' })
  const { page } = watched
  await page.goto(
    host.show({
      body: `<earshot-wall widget="${widgets.wall}"></earshot-wall><earshot-wall widget="${widgets.carousel}"></earshot-wall>`,
      head: script,
    }),
  )
  const more = page.locator('.wall').getByRole('button', { name: 'Read more: Grace Okafor' })
  const quote = page.locator('.wall .card', { hasText: 'Grace Okafor' }).locator('.quote')
  await more.waitFor()
  const clamped = (await quote.boundingBox())?.height ?? 0
  await watched.tabTo('Play video of Jonas Weber')
  await page.keyboard.press('Enter')
  await watched.until("document.querySelector('earshot-wall').shadowRoot.activeElement?.localName === 'video'")
  const player = page.getByRole('dialog', { name: 'Jonas Weber' })
  expectEqual('the video is large', ((await player.boundingBox())?.width ?? 0) > 700, true)
  expectEqual('findings of axe on the large player', await watched.findings(), [])
  await page.keyboard.press('Escape')
  await player.waitFor({ state: 'detached' })
  await watched.until("document.querySelector('earshot-wall').shadowRoot.activeElement?.className === 'play'")
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Close' }).click()
  await player.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await player.waitFor()
  await page.mouse.click(4, 400)
  await player.waitFor({ state: 'detached' })
  await watched.tabTo('Read more: Grace Okafor')
  await page.keyboard.press('Enter')
  await page.locator('.wall').getByRole('button', { name: 'Read less: Grace Okafor', expanded: true }).waitFor()
  expectEqual('the opened text is longer', ((await quote.boundingBox())?.height ?? 0) > clamped, true)
  await watched.tabTo('Next')
  const list = page.locator('.carousel')
  await page.keyboard.press('Enter')
  await watched.until("document.querySelectorAll('earshot-wall')[1].shadowRoot.querySelector('ul').scrollLeft > 100")
  await page.getByRole('button', { name: 'Previous' }).and(page.locator('[aria-disabled=false]')).waitFor()
  await list.focus()
  await page.keyboard.press('ArrowRight')
  expectEqual('the console', watched.complaints, [])
}

/** A page that loads the script late, and reserves space, does not move; nor does one whose styles come with the script. */
async function keepStill({ browser, host, service }: EmbedFixture): Promise<void> {
  const body = `<earshot-wall widget="${service.widgets.wall}"></earshot-wall><footer>The footer of the page</footer>`
  const head = `<script async src="${service.url}/embed.js"></script>`
  for (const viewport of [PHONE, WIDE]) {
    await using watched = await watchPage(browser, { viewport })
    const { page } = watched
    await page.route('**/embed.js', async (route) => {
      await watched.until("performance.getEntriesByName('first-contentful-paint').length > 0")
      await route.continue()
    })
    await page.goto(host.show({ body, head, style: RESERVED }))
    await page.locator('.card >> nth=11').waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expectEqual(`the layout shift at ${viewport.width} px`, await watched.shift(), 0)
  }
}

/** The same words without script, with what search engines read. */
async function readWithoutScript({ browser, service }: EmbedFixture): Promise<void> {
  const { url, widgets } = service
  const address = `${url}/w/${widgets.wall}`
  await using watched = await watchPage(browser, { viewport: WIDE, locale: 'de-DE' })
  const { page, requests, complaints } = watched
  await page.goto(address)
  await page.getByRole('listitem').filter({ hasText: 'For two years we argued' }).waitFor()
  await page.getByText('von 12 Personen').waitFor()
  const data = await page.locator('script[type="application/ld+json"]').textContent()
  const { json_ld } = await createClient({ baseUrl: url }).public.widgets.retrieve({ widget_id: widgets.wall })
  expectEqual('the JSON-LD', JSON.parse(data ?? ''), json_ld)
  expectEqual('the console', complaints, [])
  expectEqual('what the policy blocked', await watched.blocked(), [])
  expectEqual('the number of cookies', await watched.cookies(), 0)
  expectEqual(
    'requests to others',
    requests.filter((asked) => !asked.startsWith(url)),
    [],
  )
  const color = await page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--brand')")
  expectEqual('the colour of the widget', color, '#c8553d')
}

/** As frameworks do it: elements before their attributes, moved and changed, and the script twice. */
async function makeByScript({ browser, host, service, script }: EmbedFixture): Promise<void> {
  const { widgets, publicKey, url } = service
  await using watched = await watchPage(browser, { viewport: WIDE })
  const { page, complaints } = watched
  await page.goto(host.show({ body: '<div id="place"></div>', head: `${script}${script}` }))
  await page.addScriptTag({ url: `${url}/embed.js`, type: 'module' })
  await page.evaluate(`
    globalThis.wall = document.createElement('earshot-wall')
    place.append(wall)
    wall.setAttribute('base', ${JSON.stringify(url)})
    wall.setAttribute('widget', ${JSON.stringify(widgets.wall)})`)
  await page.locator('.card >> nth=11').waitFor()
  await page.evaluate("document.querySelector('main').prepend(wall)")
  await page.locator('.card >> nth=11').waitFor()
  await page.evaluate(
    `wall.removeAttribute('widget'); wall.setAttribute('key', ${JSON.stringify(publicKey)}); wall.setAttribute('limit', '2')`,
  )
  await watched.until("wall.shadowRoot.querySelectorAll('.card').length === 2")
  await page.evaluate(`wall.data = { results: [{
    id: '1', kind: 'text', title: null, body: 'Given', excerpt: null, rating: null, video: null, tags: [], featured: false, published_at: '',
    author: { name: '', title: null, company: null, avatar_url: 'https://stranger.example/a.png', website_url: 'javascript:alert(1)' },
  }], next_cursor: null, aggregate: { count: 1, average_rating: null } }`)
  await page.getByText('Given').waitFor()
  expectEqual('links to scripts', await page.locator('a').count(), 0)
  expectEqual('the console', complaints, [])
  expectEqual(
    'requests to others',
    watched.requests.filter((asked) => asked.includes('stranger')),
    [],
  )
}

/** A link to a still picture that has ended is asked for again. */
async function renewLinks({ browser, host, service, script }: EmbedFixture): Promise<void> {
  await using watched = await watchPage(browser, { viewport: WIDE })
  const { page } = watched
  let refused = 0
  await page.route('**/poster.jpg?*', async (route) => {
    refused += 1
    return refused === 1 ? route.fulfill({ status: 404 }) : route.continue()
  })
  await page.goto(host.show({ body: `<earshot-wall widget="${service.widgets.wall}"></earshot-wall>`, head: script }))
  await watched.until("document.querySelector('earshot-wall').shadowRoot.querySelector('.play img')?.naturalWidth > 0")
  expectEqual('how often the picture was asked for', refused, 2)
}

/** What the page wrote stays, and the page is told why. */
async function failQuietly({ browser, host, service, script }: EmbedFixture): Promise<void> {
  const body = (attributes: string) => `<earshot-wall ${attributes}><a href="/stories">Our stories</a></earshot-wall>`
  const address = host.show({
    body: body(`widget="${service.widgets.wall}" base="${service.url}"`),
    head: `<script src="${host.origin}/embed.js"></script>`,
  })
  const copy = await fetch(`${service.url}/embed.js`).then((response) => response.text())
  await using unknown = await watchPage(browser)
  await unknown.page.goto(host.show({ body: body('widget="00000000-0000-7000-8000-000000000000"'), head: script }))
  await unknown.until('told.length > 0')
  expectEqual('an unknown widget', await unknown.told(), ['error earshot-wall not_found'])
  expectEqual('its fallback is visible', await unknown.page.getByText('Our stories').isVisible(), true)
  await service.stop()
  await using away = await watchPage(browser)
  await away.page.route('**/embed.js', (route) => route.fulfill({ contentType: 'text/javascript', body: copy }))
  await away.page.goto(address)
  await away.until('told.length > 0')
  expectEqual('a service that is away', await away.told(), ['error earshot-wall unreachable'])
  expectEqual('its fallback is visible', await away.page.getByText('Our stories').isVisible(), true)
  expectEqual(
    'errors of scripts',
    away.complaints.filter((complaint) => !complaint.startsWith('Failed to load resource')),
    [],
  )
}
