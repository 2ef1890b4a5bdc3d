import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { Fixture, Flow } from './fixture.ts'

const FILES = '**/assets/audit-log-*.css'

export const upgradeFlows: readonly Flow[] = [
  {
    name: 'a tab from before an upgrade opens a page whose files are gone, by loading the new build',
    run: async (fixture) => {
      const { page, reloads } = await openOldTab(fixture, { filesAreBackAfter: 1 })
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
      expectReloads(reloads(), 1)
    },
  },
  {
    name: 'a page whose files stay away is loaded again once, and then says that it failed',
    run: async (fixture) => {
      const { page, reloads } = await openOldTab(fixture, { filesAreBackAfter: 3 })
      const again = page.getByRole('button', { name: 'Try again' })
      await until('the page failed after it was loaded again', async () => reloads() === 1 && (await again.isVisible()))
      await again.click()
      await until('it failed again', async () => reloads() > 1 && (await again.isVisible()))
      expectReloads(reloads(), 2)
      await again.click()
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
      expectReloads(reloads(), 3)
    },
  },
]

/** Goes to a page whose files are away until the tab was loaded again as often as given. */
async function openOldTab({ context, url, team, project }: Fixture, { filesAreBackAfter }: { filesAreBackAfter: number }) {
  // What the browser reports of missing files is expected here.
  const page: Page = await context.newPage()
  let asked = 0
  let loaded = 0
  await page.route(FILES, (route) => (asked < filesAreBackAfter ? route.fulfill({ status: 404 }) : route.continue()))
  await page.goto(`${url}/app/${team.slug}/${project.slug}/inbox`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  page.on('request', (request) => {
    if (request.isNavigationRequest()) asked += 1
  })
  page.on('domcontentloaded', () => {
    loaded += 1
  })
  // Without the pointer, which would fetch the files ahead.
  await page.evaluate(`history.pushState({}, '', '/app/${team.slug}/-/audit-log'); dispatchEvent(new PopStateEvent('popstate'))`)
  return { page, reloads: () => loaded }
}

function expectReloads(count: number, expected: number): void {
  if (count !== expected) throw new Error(`The page was loaded again ${count} times, not ${expected}`)
}
