import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from './command.ts'
import type { OtherBrowser } from './other-browsers/automation.ts'
import { openFirefox } from './other-browsers/firefox.ts'
import { type Person, personAt } from './other-browsers/person.ts'
import { openPlace, type Place } from './other-browsers/place.ts'
import type { Scene } from './other-browsers/scene.ts'
import { scenes } from './other-browsers/scenes.ts'
import { openWebKit } from './other-browsers/webkit.ts'

/** Where the pictures of the last run are. */
const PICTURES = join(TOP, '.conformance/other-browsers')
const BROWSERS = [openFirefox, openWebKit]
const SCHEMES = ['light', 'dark'] as const
const SIZES = { phone: [390, 844], laptop: [1_280, 900] } as const
/** WebKit names what it does not know of a meta element that others do. */
const HARMLESS = /Viewport argument key "interactive-widget" not recognized/
/** A heading, our fonts and the ground of the scheme. */
const LOOK = `((scheme) => {
  const { fontFamily, backgroundColor } = getComputedStyle(document.body)
  const pixel = new OffscreenCanvas(1, 1).getContext('2d')
  pixel.fillStyle = backgroundColor
  pixel.fillRect(0, 0, 1, 1)
  const light = pixel.getImageData(0, 0, 1, 1).data[1]
  const headings = [...document.querySelectorAll('h1')].filter((heading) => heading.checkVisibility())
  return [
    headings.length === 0 && 'no heading is seen',
    headings.some((heading) => getComputedStyle(heading).fontWeight < 600) && 'the heading looks as by default',
    !fontFamily.includes('ui-sans-serif') && 'the font is ' + fontFamily,
    (scheme === 'light' ? light < 240 || light === 255 : light > 60 || light === 0) && 'the ground is ' + backgroundColor,
  ].filter(Boolean)
})`

/**
 * Uses the main pages in Firefox and WebKitGTK, on a phone and a laptop, light and dark, and takes pictures. Resolves to the problems, or
 * null.
 */
export async function checkOtherBrowsers(only = ''): Promise<string | null> {
  rmSync(PICTURES, { recursive: true, force: true })
  await using place = await openPlace()
  // Each takes its time to draw: one waits while the other works.
  const found = await Promise.all(BROWSERS.map((open) => playIn(open, place, only)))
  const problems = found.flat()
  return problems.length === 0 ? null : problems.join('\n')
}

async function playIn(open: (typeof BROWSERS)[number], place: Place, only: string): Promise<string[]> {
  const problems: string[] = []
  for (const scheme of SCHEMES) {
    const opened = await open(scheme)
    if (typeof opened === 'string') return [opened]
    await using browser = opened
    const startMs = performance.now()
    const played = scenes.filter(({ name, isLook }) => name.includes(only) && (scheme === 'light' || isLook === true))
    problems.push(...(await playAll(browser, place, { played, scheme })))
    console.log(`${browser.name}, ${scheme}: ${played.length} scenes in ${Math.round((performance.now() - startMs) / 1_000)} s`)
  }
  return problems
}

async function playAll(
  browser: OtherBrowser,
  place: Place,
  { played, scheme }: { played: readonly Scene[]; scheme: 'light' | 'dark' },
): Promise<string[]> {
  const problems: string[] = []
  const person = personAt(browser)
  for (const inTurn of [[signInPage], [signIn, ...played]])
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      await browser.resize(width, height)
      for (const scene of inTurn) {
        const where = `${scene.name}, ${browser.name}, ${size}, ${scheme}`
        const picture = join(PICTURES, browser.name.toLowerCase(), `${size}-${scheme}-${scene.name.replaceAll(' ', '-')}.png`)
        problems.push(...(await play(person, place, { scene, scheme, picture })).map((problem) => `${where}: ${problem}`))
      }
    }
  return problems
}

async function play(
  person: Person,
  place: Place,
  { scene, scheme, picture }: { scene: Scene; scheme: string; picture: string },
): Promise<string[]> {
  const problems: string[] = []
  try {
    await scene.run(person, place)
    await person.shoot(picture)
    const sideways = await person.sideways()
    if (sideways > 0) problems.push(`the page is ${sideways} px too wide`)
    if (scene.isForeign !== true) problems.push(...(await person.browser.evaluate<string[]>(`${LOOK}('${scheme}')`)))
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
  return [...problems, ...person.browser.takeComplaints().filter((complaint) => !HARMLESS.test(complaint))]
}

const signInPage: Scene = {
  name: 'sign-in page',
  run: async ({ browser, see }, { url }) => {
    await browser.open(`${url}/accounts/sign-in/`)
    await see('heading', 'Sign in')
  },
}

/** By keys, once: whoever is signed in is led on. */
const signIn: Scene = {
  name: 'sign-in',
  run: async ({ browser, see, press, type, tabTo }, { url, account }) => {
    await browser.open(`${url}/accounts/sign-in/?next=${encodeURIComponent('/accounts/profile/')}`)
    const isSignedIn = (await browser.evaluate<string>('location.pathname')) === '/accounts/profile/'
    if (!isSignedIn) {
      await tabTo('E-mail address')
      await type(account.email)
      await press('Tab')
      await type(account.password)
      await press('Enter')
    }
    await see('heading', 'Your profile')
  },
}
