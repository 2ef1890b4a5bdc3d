import type { Page } from 'playwright-core'
import { openChromium } from './chromium.ts'

const OPERATION = 'submissions_list'
const IN_TYPESCRIPT = 'earshot.submissions.list('
const LOADING_MS = 60_000

/**
 * Opens the pages of the reference in Chromium: both begin with the guide and show the samples of an operation, and the browser
 * refuses nothing of them. Resolves to the problem, or null.
 */
export async function checkReferencePages(url: string): Promise<string | null> {
  const browser = await openChromium()
  if (typeof browser === 'string') return browser
  try {
    for (const [path, show] of [
      ['/api/docs/', showInSwaggerUi],
      ['/api/redoc/', showInRedoc],
    ] as const) {
      const page = await browser.newPage()
      page.setDefaultTimeout(LOADING_MS)
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(`${url}${path}`)
      await page.getByRole('heading', { name: 'Get a token' }).first().waitFor()
      const problem = await show(page).then(
        () => complaints[0],
        (error: unknown) => String(error),
      )
      if (problem !== undefined) return `${path}: ${problem}`
      await page.close()
    }
    console.log('Reference pages: guide and samples shown by Swagger UI and Redoc')
    return null
  } finally {
    await browser.close()
  }
}

async function showInSwaggerUi(page: Page): Promise<void> {
  await page.locator('#operations-tag-Submissions').click()
  await page.locator(`#operations-Submissions-${OPERATION} .opblock-summary-control`).click()
  const samples = page.locator('.code-samples')
  await samples.getByRole('button', { name: 'curl' }).waitFor()
  await samples.getByRole('button', { name: 'TypeScript' }).click()
  await samples.getByText(IN_TYPESCRIPT).first().waitFor()
  await samples.getByRole('button', { name: 'Command line' }).click()
  await samples.getByText('earshot submissions list').first().waitFor()
}

async function showInRedoc(page: Page): Promise<void> {
  const operation = page.locator(`[id="tag/Submissions/operation/${OPERATION}"]`)
  await operation.scrollIntoViewIfNeeded()
  await operation.getByRole('tab', { name: 'TypeScript' }).click()
  await operation.getByText(IN_TYPESCRIPT).first().waitFor()
}
