import { equal, ok } from 'node:assert/strict'
import type { Fixture, Flow } from './fixture.ts'
import { leaveWords } from './inbox.ts'
import { cutOffFindings, layoutFindings } from './layout.ts'

/** 1,280 by 1,024 pixels at 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 }
/** WCAG 2.2, 1.4.12. */
const SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-block-end: 2em !important }`
const PROJECT_PAGES = ['inbox', 'testimonials', 'videos', 'surveys', 'analytics', 'widgets', 'imports', 'settings', 'first-steps']
const TEAM_PAGES = ['webhooks', 'events', 'audit-log', 'members', 'usage', 'privacy', 'settings', 'projects/new', 'teams/new']
const ACCOUNT_PAGES = ['', 'profile/', 'notifications/', 'password/', 'second-factor/', 'sessions/', 'tokens/', 'applications/']

export const zoomFlows: readonly Flow[] = [
  {
    name: 'at 400 % every page has all it has, without scrolling sideways',
    run: async (fixture) => {
      const { page } = fixture
      await page.setViewportSize(ZOOMED)
      await lookAtAll(fixture)
    },
  },
  {
    name: 'with the letters and lines far apart nothing is cut off',
    run: async (fixture) => {
      await fixture.page.addInitScript(`addEventListener('DOMContentLoaded', () => {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(${JSON.stringify(SPACING)})
        document.adoptedStyleSheets = [sheet]
      })`)
      await lookAtAll(fixture)
    },
  },
  {
    name: 'at 400 % somebody decides by keyboard alone, and nothing covers what has the focus',
    run: async (fixture) => {
      const { page, open, check } = fixture
      await page.setViewportSize(ZOOMED)
      const [only] = await leaveWords(fixture, ['Ada'])
      await open(`inbox?item=${only?.id}`)
      const approve = page.getByRole('button', { name: 'Approve' })
      await approve.focus()
      ok(await isUncovered(fixture), 'the button is covered')
      const { width, scrollWidth } = await approve.evaluate(({ clientWidth, scrollWidth }) => ({ width: clientWidth, scrollWidth }))
      ok(scrollWidth <= width + 1, 'the name of the button is cut off')
      await check('a submission at 400 %')
      await page.keyboard.press('Enter')
      await page.getByText('Approved Ada’s words').waitFor()
      await open('settings')
      await page.getByRole('heading', { level: 1 }).waitFor()
      for (let presses = 0; presses < 25; presses += 1) {
        await page.keyboard.press('Tab')
        ok(await isUncovered(fixture), `what has the focus after ${presses + 1} presses of Tab is covered`)
      }
    },
  },
  {
    name: 'with forced colours what is current and what is pressed is seen',
    run: async (fixture) => {
      const { page, open, size } = fixture
      await leaveWords(fixture, ['Ada', 'Ben'])
      await page.emulateMedia({ forcedColors: 'active' })
      await open('inbox')
      const outlineOf = (selector: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`)
      await page.getByRole('option').first().waitFor()
      if (size === 'laptop') {
        ok((await outlineOf('.side a[aria-current]')) !== 'none', 'the current page is not seen')
        ok((await outlineOf('.row-item[data-active]')) !== 'none', 'the current submission is not seen')
      }
      ok((await outlineOf('.tabs a[aria-current]')) !== (await outlineOf('.tabs a:not([aria-current])')), 'the current tab is not seen')
      ok((await outlineOf('.icon-btn')) !== 'none', 'a button has no edge')
    },
  },
  {
    name: 'a page that somebody goes to has its title, and its heading has the focus',
    run: async ({ page, open, size }) => {
      await open('inbox')
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      for (const name of ['Surveys', 'Members']) {
        if (size === 'phone') await page.getByRole('button', { name: 'Menu' }).press('Enter')
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).press('Enter')
        await page.getByRole('heading', { level: 1, name }).waitFor()
        equal(await page.title(), `${name} · Earshot`)
        equal(await page.locator(':focus').textContent(), name)
      }
    },
  },
]

/** Throws what is wrong with the boxes of any page. */
async function lookAtAll(fixture: Fixture): Promise<void> {
  const { page, open, url, client, team, project } = fixture
  await leaveWords(fixture, ['Ada'])
  const ref = { team_id: team.id, project_id: project.id }
  const { id } = await client.surveys.create({ ...ref, name: 'Launch', questions: [{ type: 'nps', ref: 'nps', title: 'How likely?' }] })
  const widget = await client.widgets.create({ ...ref, name: 'Wall', layout: 'wall' })
  const hook = await client.webhooks.create({ team_id: team.id, url: 'https://example.com/hooks', events: ['submission.approved'] })
  const made = [`surveys/${id}/edit`, `surveys/${id}/results`, `surveys/${id}/responses`, `widgets/${widget.id}`, `-/webhooks/${hook.id}`]
  const problems: string[] = []
  const look = async (address: string) => {
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    problems.push(...[...(await layoutFindings(page)), ...(await cutOffFindings(page))].map((finding) => `${address}: ${finding}`))
  }
  for (const address of [...PROJECT_PAGES, ...made, ...TEAM_PAGES.map((name) => `-/${name}`)]) {
    await open(address)
    await look(address)
  }
  for (const name of ACCOUNT_PAGES) {
    await page.goto(`${url}/accounts/${name}`)
    await look(`accounts/${name}`)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Whether what has the focus is seen at least in part (WCAG 2.2, 2.4.11). */
function isUncovered({ page }: Fixture): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const { left, right, top, bottom } = document.activeElement.getBoundingClientRect()
    const points = [[(left + right) / 2, (top + bottom) / 2], [left + 3, top + 3], [right - 3, bottom - 3]]
    return points.some(([x, y]) => {
      const seen = document.elementFromPoint(x, y)
      return seen !== null && (seen.contains(document.activeElement) || document.activeElement.contains(seen))
    })
  })()`)
}
