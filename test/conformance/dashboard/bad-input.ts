import { equal } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Fixture, Flow } from './fixture.ts'
import { fillHostile, type Hostile, isBreached, renameAll } from './hostile.ts'
import { layoutFindings } from './layout.ts'

/** The pages that show what was made, by what they are about. */
const PAGES: Readonly<Record<string, (made: Hostile) => readonly string[]>> = {
  'the inbox': ({ submissions }) => ['inbox', 'inbox?state=rejected', ...submissions.map((id) => `inbox?item=${id}`)],
  testimonials: ({ testimonials }) => ['testimonials', ...testimonials.map((id) => `testimonials?item=${id}`)],
  'videos and widgets': ({ videos, widget }) => ['videos', ...videos.map((id) => `videos?item=${id}`), `widgets/${widget}`, 'widgets'],
  surveys: ({ survey, responses }) => [
    ...['surveys', `surveys/${survey}/edit`, `surveys/${survey}/edit?tab=translations`, `surveys/${survey}/results`],
    ...[`surveys/${survey}/responses`, ...responses.map((id) => `surveys/${survey}/responses?response=${id}`), 'analytics'],
  ],
  'imports and webhooks': ({ import: id, webhook, deliveries }) => [
    ...['imports', `imports/${id}`, '-/webhooks', `-/webhooks/${webhook}`],
    ...deliveries.slice(0, 5).map((delivery) => `-/webhooks/${webhook}?delivery=${delivery}`),
  ],
  'events and the audit log': ({ event }) => ['-/events', `-/events?event=${event}`, '-/audit-log'],
}

/** Words of strangers that are as bad as the service accepts, on every page that shows them. */
export const badInputFlows: readonly Flow[] = [
  ...Object.entries(PAGES).map(([what, addressesOf]) => ({
    name: `hostile words on ${what}: nothing runs, and nothing leaves its place`,
    run: async (fixture: Fixture) => {
      const problems: string[] = []
      for (const address of addressesOf(await fillHostile(fixture))) problems.push(...(await look(fixture, address)))
      if (problems.length > 0) throw new Error(problems.join('\n'))
      await fixture.check(`the last of ${what}`)
    },
  })),
  {
    name: 'hostile names of people, teams and projects',
    run: async (fixture) => {
      const { page, open, size } = fixture
      await renameAll(fixture)
      const problems: string[] = []
      for (const address of ['-/members', '-/usage', '-/settings', '-/projects/new', 'settings', 'first-steps'])
        problems.push(...(await look(fixture, address)))
      await open('inbox')
      if (size === 'phone') await page.getByRole('button', { name: 'Menu' }).click()
      await page.locator('nav.side button').first().click()
      await page.getByRole('menuitem').first().waitFor()
      problems.push(...(await layoutFindings(page)))
      if (problems.length > 0) throw new Error(problems.join('\n'))
      await fixture.check('the menu of projects')
    },
  },
  {
    name: 'a name of which nothing is seen has words to press, and a name of another direction leaves a message readable',
    run: async (fixture) => {
      const { page, open, client, team, project } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      const made = await client.submissions.create({ ...ref, body: 'Good', author: { name: '\u202e\u2066דנה\u200b' } })
      await client.testimonials.create({ ...ref, body: 'Good', author: { name: '\u200b\u2060' } })
      await open('testimonials')
      await page.getByRole('link', { name: 'No visible name' }).click()
      await page.getByRole('heading', { name: 'No visible name' }).waitFor()
      await open(`inbox?item=${made.id}`)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved \u2068דנה\u200b\u2069’s words', { exact: true }).waitFor()
    },
  },
  {
    name: 'what an address says wrongly is left out',
    run: async ({ page, open, client, team, project }) => {
      const ref = { team_id: team.id, project_id: project.id }
      await client.submissions.create({ ...ref, body: 'Good', author: { name: 'Ada Lovelace' } })
      await open('inbox?state=zzz&min_rating=nine&limit=5000')
      await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor()
      equal(new URL(page.url()).search, '')
      const { id } = await client.surveys.create({ ...ref, name: 'Launch', questions: [{ type: 'nps', ref: 'nps', title: 'How likely?' }] })
      await open(`surveys/${id}`)
      await page.getByRole('heading', { level: 1, name: 'Launch' }).waitFor()
      await open('videos?state=zzz')
      await page.getByRole('heading', { name: 'No videos yet' }).waitFor()
      await open('testimonials?state=zzz')
      await page.getByRole('heading', { level: 1, name: 'Testimonials' }).waitFor()
    },
  },
  {
    name: 'addresses that a browser must not open are no links',
    run: async (fixture) => {
      const { page, open, client, team, project } = fixture
      const ref = { team_id: team.id, project_id: project.id }
      const csv = `name,text,site\nAda,Good,"javascript:window.isBreached=true"\nBen,Good,"data:text/html,<script>1</script>"\n`
      const mapping = { name: 'author.name', text: 'body', site: 'author.website_url' }
      await client.imports.create({ ...ref, file_name: 'a.csv', csv, target: 'testimonials', mapping })
      const author = { name: 'Cleo', website_url: 'https://example.com/?javascript:alert(1)' }
      const { id } = await client.submissions.create({ ...ref, body: 'javascript:window.isBreached=true', author })
      for (const address of [`inbox?item=${id}`, 'imports', 'testimonials']) {
        await open(address)
        await settle(page)
        equal(await page.locator('a[href]:not([href^="/"], [href^="http"], [href^="#"], [href^="mailto:"], [href^="blob:"])').count(), 0)
      }
      await open(`inbox?item=${id}`)
      const link = page.getByRole('link', { name: 'example.com' })
      equal(await link.getAttribute('rel'), 'nofollow ugc noopener noreferrer')
    },
  },
]

/** Opens a page, and returns what is wrong with it. */
async function look(fixture: Fixture, address: string): Promise<readonly string[]> {
  const { page, open } = fixture
  await open(address)
  await settle(page)
  const findings = await layoutFindings(page)
  if (await page.evaluate<boolean>(isBreached)) findings.push('words were run')
  return findings.map((finding) => `${address}: ${finding}`)
}

/** Waits until the page has loaded what it shows. */
async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}
