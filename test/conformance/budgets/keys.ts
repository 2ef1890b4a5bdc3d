import { loadavg } from 'node:os'
import type { Database } from '@earshot/db'
import type { Browser, Page } from 'playwright-core'
import { type MainThread, mainThreadOf } from './main-thread.ts'
import type { ReferencePage } from './reference.ts'

const ITEMS = 10_000
/** Presses in turns: some in the inbox, as many in the reference page. */
const TURNS = 6
const PRESSES = 20
/**
 * The inbox takes 1.8 to 2.1 times what the reference page takes, and 2.9 with five milliseconds of script more for each key.
 */
const MAX_RATIO = 2.75
const LOAD_LIMIT_MS = 60_000

interface Queue {
  browser: Browser
  reference: ReferencePage
  database: Database
  url: string
  cookie: string
  /** An empty project, and the path of its pages. */
  project: { team_id: string; id: string }
  path: string
}

/**
 * Opens an inbox with 10,000 submissions, loads all of them, and presses `j`. Compares the processor time from a key to the next paint with
 * that of the reference page in the same browser. Resolves to the problem, or null.
 */
export async function measureKeys({ browser, reference, database, url, cookie, project, path }: Queue): Promise<string | null> {
  await fill(database, project)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, extraHTTPHeaders: { cookie } })
  try {
    const inbox = await context.newPage()
    await inbox.goto(`${url}${path}/inbox`)
    await loadAll(inbox)
    const list = await context.newPage()
    await list.goto(reference.address)
    const [inboxMs, listMs] = await pressInTurns(inbox, list)
    const place = `${(TURNS * PRESSES + 1).toLocaleString('en')} of ${ITEMS.toLocaleString('en')}`
    if (!(await inbox.getByText(place, { exact: true }).isVisible())) return `${TURNS * PRESSES} presses of j did not lead to "${place}"`
    const ratio = inboxMs / listMs
    console.log(
      `inbox of ${ITEMS} items, processor time from key to paint: p95 ${inboxMs.toFixed(1)} ms, ` +
        `${ratio.toFixed(2)} times that of the reference page, load ${loadavg()[0]?.toFixed(1)}`,
    )
    return ratio <= MAX_RATIO
      ? null
      : `key to paint: ${ratio.toFixed(2)} times the processor time of the reference page of at most ${MAX_RATIO}`
  } finally {
    await context.close()
  }
}

/** As an import would leave them, without its minute. */
async function fill(database: Database, { team_id, id }: Queue['project']): Promise<void> {
  await database.run(
    `insert into submissions (team_id, project_id, id, kind, channel, body, rating, author_name, author_company, consent_granted)
     select $1, $2, uuidv7(make_interval(secs => i - $3::int)), 'text', 'import',
            'Word ' || i || ' saved us a week, and more than that. ' || repeat('We stopped arguing about what customers meant. ', i % 9),
            1 + i % 5, 'Author ' || i, 'Analytical Engines', true
       from generate_series(1, $3::int) i`,
    [team_id, id, ITEMS],
  )
}

/** Scrolls to the end until nothing more comes, then back. */
async function loadAll(page: Page): Promise<void> {
  await page.getByRole('option').first().waitFor()
  const last = page.locator(`[role=option][aria-posinset="${ITEMS}"]`)
  const untilMs = Date.now() + LOAD_LIMIT_MS
  while (!(await last.isVisible())) {
    if (Date.now() > untilMs) throw new Error('The list does not end')
    await page.evaluate(`document.querySelector('[role=listbox]').scrollTo(0, 1e9)`)
    await page.waitForTimeout(30)
  }
  await page.evaluate(`document.querySelector('[role=listbox]').scrollTo(0, 0)`)
  await page.locator('[role=option][aria-posinset="1"]').waitFor()
}

/** Presses `j` in pages by turns. Returns for each the 95th percentile of the processor time from key to paint. */
async function pressInTurns(...pages: [Page, Page]): Promise<[number, number]> {
  const threads = [await mainThreadOf(pages[0]), await mainThreadOf(pages[1])] as const
  const tookMs: [number[], number[]] = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    for (const place of [0, 1] as const) {
      await pages[place].bringToFront()
      for (let count = 0; count < PRESSES; count++) tookMs[place].push(await press(pages[place], threads[place]))
    }
  }
  return [p95(tookMs[0]), p95(tookMs[1])]
}

/** Presses `j`, and waits until it is painted. */
async function press(page: Page, thread: MainThread): Promise<number> {
  const before = await thread.usedMs()
  await page.keyboard.press('j')
  await page.evaluate('new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))')
  return (await thread.usedMs()) - before
}

function p95(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(0.95 * values.length) - 1] ?? Number.POSITIVE_INFINITY
}
