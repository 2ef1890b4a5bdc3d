import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, TOP } from '../command.ts'
import { installNpm } from '../npm.ts'

const HOME = join(TOP, '.conformance/lighthouse')
const VERSION = '13.5.0'
const CHROME_FLAGS = '--headless=new --no-sandbox --disable-gpu'
const LIMIT_MS = 120_000
/** Lighthouse waits for the network to be idle, which it never is while the inbox listens for news. */
const MAX_LOAD_MS = 15_000
const MAX_RUNS = 5
const MIN_PERFORMANCE = 95
const ACCESSIBILITY = 100

/** A page, and how it is measured: as on a slow phone in a slow network, or as on a desk. */
export interface MeasuredPage {
  name: string
  address: string
  form: 'mobile' | 'desktop'
  /** Of a person who is signed in. */
  cookie?: string
  /** How many requests its first load may make. */
  maxRequests: number
}

/** What a run of Lighthouse found. Scores are percent. */
interface Run {
  performance: number
  accessibility: number
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

/**
 * Measures a page with Lighthouse and its usual throttling. A run that misses the mark is done again, and the best one counts: what
 * else the machine does only ever makes a page slower. Resolves to the problems.
 */
export async function measurePage(page: MeasuredPage, chromePath: string): Promise<string[]> {
  // A trace that Lighthouse could not record says nothing of the page.
  const measure = () =>
    runLighthouse(page, chromePath).catch((error: unknown) => {
      console.log(`Once more: ${error instanceof Error ? error.message : error}`)
      return runLighthouse(page, chromePath)
    })
  const runs = [await measure()]
  while (runs.length < MAX_RUNS && (runs.at(-1)?.performance ?? 0) < MIN_PERFORMANCE) runs.push(await measure())
  const performance = Math.max(...runs.map((one) => one.performance))
  const accessibility = Math.min(...runs.map((one) => one.accessibility))
  const requests = runs.map((one) => one.requests).reduce((longest, one) => (one.length > longest.length ? one : longest), [])
  const bytes = Math.max(...runs.map((one) => one.bytes))
  const of = `${page.name}, ${page.form}`
  console.log(
    `${of}: performance ${performance} (${runs.map((one) => one.performance)}), accessibility ${accessibility}, ` +
      `${requests.length} requests, ${Math.round(bytes / 1_024)} KB, load ${loadavg()[0]?.toFixed(1)}`,
  )
  return [
    ...(performance < MIN_PERFORMANCE ? [`${of}: performance ${performance} of at least ${MIN_PERFORMANCE}`] : []),
    ...(accessibility < ACCESSIBILITY ? [`${of}: accessibility ${accessibility} of ${ACCESSIBILITY}`] : []),
    ...(requests.length > page.maxRequests ? [`${of}: ${requests.length} requests of ${page.maxRequests}: ${requests.join(' ')}`] : []),
  ]
}

async function runLighthouse({ address, form, cookie }: MeasuredPage, chromePath: string): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-lighthouse-'))
  const file = join(folder, 'report.json')
  const args = [
    join(HOME, 'node_modules/lighthouse/cli/index.js'),
    ...[
      address,
      '--quiet',
      '--no-enable-error-reporting',
      `--max-wait-for-load=${MAX_LOAD_MS}`,
      '--only-categories=performance,accessibility',
    ],
    ...['--output=json', `--output-path=${file}`, `--chrome-flags=${CHROME_FLAGS}`],
    ...(form === 'desktop' ? ['--preset=desktop'] : []),
    ...(cookie === undefined ? [] : [`--extra-headers=${JSON.stringify({ cookie })}`]),
  ]
  try {
    const { exitCode, output } = await run('node', args, { environment: { CHROME_PATH: chromePath }, timeoutMs: LIMIT_MS })
    if (exitCode !== 0) throw new Error(`Lighthouse failed on ${address}: ${output.trim().slice(-500)}`)
    return runOf(JSON.parse(readFileSync(file, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runOf({ categories, audits, runtimeError }: Report): Run {
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
