import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, TOP } from '../command.ts'
import { installNpm } from '../npm.ts'
import { shrinkToProcessorTime } from './processor-time.ts'

const HOME = join(TOP, '.conformance/lighthouse')
const VERSION = '13.5.0'
const CHROME_FLAGS = '--headless=new --no-sandbox --disable-gpu'
const LIMIT_MS = 120_000
/** Lighthouse waits for the network to be idle, which it never is while the inbox listens for news. */
const MAX_LOAD_MS = 15_000
const MAX_RUNS = 5
const MIN_PERFORMANCE = 95
const ACCESSIBILITY = 100
/** How much slower than the reference machine the processor of the visitor is. */
const SLOWDOWN = { mobile: 4, desktop: 1 } as const
/**
 * Processor time of the reference page's load on the machine whose pages were first measured. It gives Lighthouse's score a scale that does
 * not depend on the machine: a page is slowed down by as much more as this machine is quicker.
 */
const REFERENCE_MS = 200

/** A page, and how it is measured: as on a slow phone in a slow network, or as on a desk. */
export interface MeasuredPage {
  name: string
  address: string
  form: 'mobile' | 'desktop'
  /** Of a person who is signed in. */
  cookie?: string
  /** How many requests its first load may make. */
  maxRequests: number
  /**
   * How many times the processor time of the reference page its load may take. A script of 80 ms adds 0.3 to 0.45; Lighthouse's score
   * shows it in no page but the inbox, and there in few runs.
   */
  maxCost: number
}

/** What a run of Lighthouse found. Scores are percent. */
interface Run {
  performance: number
  accessibility: number
  /** Processor time of the load, as a ratio to that of the reference page. */
  cost: number
  requests: string[]
  bytes: number
}

/** The parts of Lighthouse's result in use. */
interface Report {
  categories: Record<'performance' | 'accessibility', { score: number | null }>
  audits: Record<string, { score: number | null; details?: { items?: { url: string; transferSize: number }[] } }>
  runtimeError?: { message: string }
}

/** Installs Lighthouse. Resolves to the problem, or null. */
export async function prepareLighthouse(): Promise<string | null> {
  return installNpm(HOME, [`lighthouse@${VERSION}`])
}

/** Tools to measure a page with. */
export interface Measuring {
  chromePath: string
  /** Returns the processor time of a load of the reference page at this moment. */
  referenceMs: () => Promise<number>
}

/**
 * Measures a page with Lighthouse and its usual network. Its tasks take the processor time of the page's own threads, as a ratio to that of
 * the reference page in the same minute, so that the score does not depend on the machine or on what else it does. A run that misses the
 * mark is done again, and the best one counts. Resolves to the problems.
 */
export async function measurePage(page: MeasuredPage, measuring: Measuring): Promise<string[]> {
  // A trace that Lighthouse could not record says nothing of the page.
  const measure = () =>
    runLighthouse(page, measuring).catch((error: unknown) => {
      console.log(`Once more: ${error instanceof Error ? error.message : error}`)
      return runLighthouse(page, measuring)
    })
  const runs = [await measure()]
  const misses = ({ performance, cost }: Run) => performance < MIN_PERFORMANCE || cost > page.maxCost
  while (runs.length < MAX_RUNS && runs.every(misses)) runs.push(await measure())
  const cost = Math.min(...runs.map((one) => one.cost))
  const performance = Math.max(...runs.map((one) => one.performance))
  const accessibility = Math.min(...runs.map((one) => one.accessibility))
  const requests = runs.map((one) => one.requests).reduce((longest, one) => (one.length > longest.length ? one : longest), [])
  const bytes = Math.max(...runs.map((one) => one.bytes))
  const of = `${page.name}, ${page.form}`
  console.log(
    `${of}: performance ${performance} (${runs.map((one) => one.performance)}), accessibility ${accessibility}, ` +
      `${cost.toFixed(2)} (${runs.map((one) => one.cost.toFixed(2))}) times the processor time of the reference page, ` +
      `${requests.length} requests, ${Math.round(bytes / 1_024)} KB, load ${loadavg()[0]?.toFixed(1)}`,
  )
  return [
    ...(performance < MIN_PERFORMANCE ? [`${of}: performance ${performance} of at least ${MIN_PERFORMANCE}`] : []),
    ...(cost > page.maxCost ? [`${of}: ${cost.toFixed(2)} times the processor time of the reference page of at most ${page.maxCost}`] : []),
    ...(accessibility < ACCESSIBILITY ? [`${of}: accessibility ${accessibility} of ${ACCESSIBILITY}`] : []),
    ...(requests.length > page.maxRequests ? [`${of}: ${requests.length} requests of ${page.maxRequests}: ${requests.join(' ')}`] : []),
  ]
}

async function runLighthouse({ address, form, cookie }: MeasuredPage, { chromePath, referenceMs }: Measuring): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-lighthouse-'))
  const report = join(folder, 'report.json')
  const knownMs = await referenceMs()
  const slowdown = (SLOWDOWN[form] * REFERENCE_MS) / knownMs
  const lighthouse = async (...args: string[]) => {
    const all = [join(HOME, 'node_modules/lighthouse/cli/index.js'), address, ...optionsOf({ form, cookie, slowdown }), ...args]
    const { exitCode, output } = await run('node', all, { environment: { CHROME_PATH: chromePath }, timeoutMs: LIMIT_MS })
    if (exitCode !== 0) throw new Error(`Lighthouse failed on ${address}: ${output.trim().slice(-500)}`)
  }
  try {
    await lighthouse(`--gather-mode=${folder}`)
    const cost = shrinkToProcessorTime(join(folder, 'trace.json')) / knownMs
    await lighthouse(`--audit-mode=${folder}`, '--output=json', `--output-path=${report}`)
    return { ...scoresOf(JSON.parse(readFileSync(report, 'utf8'))), cost }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same for gathering and auditing, or Lighthouse refuses to audit what was gathered. */
function optionsOf({ form, cookie, slowdown }: { form: MeasuredPage['form']; cookie: string | undefined; slowdown: number }): string[] {
  return [
    '--quiet',
    '--no-enable-error-reporting',
    `--max-wait-for-load=${MAX_LOAD_MS}`,
    '--only-categories=performance,accessibility',
    `--throttling.cpuSlowdownMultiplier=${slowdown}`,
    `--chrome-flags=${CHROME_FLAGS}`,
    ...(form === 'desktop' ? ['--preset=desktop'] : []),
    ...(cookie === undefined ? [] : [`--extra-headers=${JSON.stringify({ cookie })}`]),
  ]
}

function scoresOf({ categories, audits, runtimeError }: Report): Omit<Run, 'cost'> {
  if (runtimeError) throw new Error(`Lighthouse failed: ${runtimeError.message}`)
  const items = audits['network-requests']?.details?.items ?? []
  return {
    performance: percent(categories.performance.score),
    accessibility: percent(categories.accessibility.score),
    requests: items.map(({ url }) => new URL(url).pathname),
    bytes: items.reduce((sum, { transferSize }) => sum + transferSize, 0),
  }
}

function percent(score: number | null): number {
  return Math.round((score ?? 0) * 100)
}
