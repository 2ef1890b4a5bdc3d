import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@earshot/contracts/client'
import { transform } from 'esbuild'
import { publint } from 'publint'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { openChromium } from './chromium.ts'
import { ATTW, installRuntimes, runtimes } from './client-package/runtimes.ts'
import type { Destination } from './client-package/tour.ts'
import { run } from './command.ts'
import { openSite } from './site.ts'
import type { Tourist } from './tourist.ts'

const WORKSPACE = 'sdks/typescript'
const TOUR = join(import.meta.dirname, 'client-package/tour.ts')
const RUNTIME = 'import * as earshot from "@earshot/client"\nimport { takeTour } from "./tour.js"\n'

/**
 * Packs @earshot/client and installs it in an empty project; checks the package with publint and arethetypeswrong, and takes a
 * tour with it in each runtime and, across origins, in a browser. Resolves to the problems, or null.
 */
export async function checkClientPackage(tourist: Tourist): Promise<string | null> {
  const missing = await installRuntimes()
  if (missing !== null) return `the runtimes: ${missing}`
  const destination = destinationOf(tourist)
  using project = await installPackage(WORKSPACE)
  await writePrograms(project, destination)
  const places: Record<string, () => Promise<string[]>> = { Chromium: () => visitPage(project, destination) }
  for (const [name, command] of Object.entries(runtimes)) places[name] = async () => JSON.parse(await project.run(...command('main.js')))
  const problems = await checkManifest(project)
  for (const [name, take] of Object.entries(places)) {
    const steps = await take().catch((error: Error) => error)
    if (steps instanceof Error) problems.push(`${name}: ${steps.message.trim().split('\n').slice(-8).join(' | ')}`)
    else console.log(`@earshot/client in ${name}: ${steps.length} steps of the tour`)
  }
  return problems.length === 0 ? null : problems.join('; ')
}

function destinationOf({ url, environment }: Tourist): Destination {
  const { EARSHOT_TOKEN: token = '', EARSHOT_TEAM: team_id = '' } = environment
  return { baseUrl: url, token, team_id }
}

/** Writes the tour, a program for runtimes and one for a page. */
async function writePrograms(project: InstalledPackage, destination: Destination): Promise<void> {
  const { code } = await transform(readFileSync(TOUR, 'utf8'), { loader: 'ts' })
  project.write('tour.js', code)
  project.write('main.js', `${RUNTIME}console.log(JSON.stringify(await takeTour(earshot, ${JSON.stringify(destination)})))\n`)
  project.write('page.js', `${RUNTIME}globalThis.tour = () => takeTour(earshot, ${JSON.stringify(destination)})\n`)
}

/** Returns what publint and arethetypeswrong find. */
async function checkManifest(project: InstalledPackage): Promise<string[]> {
  const { messages } = await publint({ pkgDir: project.built, strict: true })
  const { exitCode, output } = await run(ATTW, ['--profile', 'esm-only', '--no-emoji', '--no-color', project.tarball])
  const found = messages.map(({ code, path }) => `publint: ${code} at ${path.join(' > ')}`)
  return exitCode === 0 ? found : [...found, `arethetypeswrong: ${output.trim()}`]
}

/** Takes the tour in a page of an origin that the team allows. */
async function visitPage(project: InstalledPackage, { baseUrl, token, team_id }: Destination): Promise<string[]> {
  const chromium = await openChromium()
  if (typeof chromium === 'string') throw new Error(chromium)
  try {
    using site = await openSite()
    await createClient({ baseUrl, token }).teams.update({ team_id, settings: { cors_origins: [site.origin] } })
    const { code } = await project.bundle('page.js')
    const page = await chromium.newPage()
    await page.goto(site.origin)
    await page.addScriptTag({ content: code })
    return await page.evaluate<string[]>('tour()')
  } finally {
    await chromium.close()
  }
}
