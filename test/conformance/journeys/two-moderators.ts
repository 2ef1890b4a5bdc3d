import { equal } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Company, Journey } from './fixture.ts'

const WAITING = [
  { name: 'Ines Duarte', company: 'Casa Duarte', rating: 5, body: 'Every book arrived wrapped like a present. My customers noticed.' },
  { name: 'Callum Reid', company: 'Reid & Sons', rating: 4, body: 'Reordering takes a minute now. I would like invoices as PDF.' },
  { name: 'Aiko Tanaka', company: 'Kissa Records', rating: 5, body: 'They found an edition that two other dealers told me was lost.' },
  { name: 'Win Big', company: null, rating: 5, body: 'CHEAP FOLLOWERS 4 YOU best price click my profile' },
] as const
const LATE = {
  name: 'Nora Eklund',
  company: 'Läsrummet',
  rating: 5,
  body: 'Our reading group chose from their list all year. Not one dull month.',
}
const MODERATORS = ['Priya Raman', 'Tomas Ortega'] as const

/** Two people work on the same queue, and neither overwrites the other. */
export const twoModerators: Journey = {
  name: 'two-moderators',
  tell: async (fixture) => {
    const company = await fixture.company({ team: 'Fernhill', project: 'Fernhill Books', people: MODERATORS })
    for (const words of WAITING) await leave(company, words)
    const [priya, tomas] = await Promise.all(MODERATORS.map((name) => company.signIn(name, 'inbox')))
    if (!priya || !tomas) throw new Error('Two people moderate')
    for (const page of [priya, tomas]) {
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Pending 4' }).waitFor()
    }
    await priya.getByRole('option', { name: /Aiko Tanaka/ }).click()
    await fixture.shoot(priya, 'the-queue')

    await leave(company, LATE)
    for (const page of [priya, tomas]) {
      await page.getByRole('option', { name: /Nora Eklund/ }).waitFor()
      await page.getByRole('link', { name: 'Pending 5' }).waitFor()
    }
    await tomas.getByRole('option', { name: /Nora Eklund/ }).click()
    await fixture.shoot(tomas, 'new-words-appear')

    await decideBoth(priya, tomas, fixture.shoot)
    await lookWho(company, priya)
    await fixture.shoot(priya, 'who-decided')
  },
}

async function leave(
  { client, publicKey }: Company,
  { name, company, ...words }: { name: string; company: string | null; rating: number; body: string },
) {
  await client.public.submissions.create({
    ...{ public_key: publicKey, ...words, author: { name, ...(company !== null && { company }) } },
    consent: { granted: true, text: 'I agree that my words may be published.' },
  })
}

/** Tomas approves; Priya rejects the same words before his decision is on her screen. */
async function decideBoth(priya: Page, tomas: Page, shoot: (page: Page, what: string) => Promise<void>): Promise<void> {
  await priya.getByRole('option', { name: /Callum Reid/ }).click()
  await tomas.getByRole('option', { name: /Callum Reid/ }).click()
  await tomas.keyboard.press('a')
  await tomas.getByText('Approved Callum Reid’s words').waitFor()
  await shoot(tomas, 'tomas-approves')
  await priya.keyboard.press('r')
  await priya.getByRole('dialog', { name: 'Reject Callum Reid’s words' }).waitFor()
  await priya.keyboard.type('Asks for a feature')
  await priya.keyboard.press('Enter')
  await priya.getByText('Tomas Ortega approved Callum Reid’s words before you. Your decision changed nothing.').waitFor()
  await shoot(priya, 'priya-is-told')
}

async function lookWho({ client, project }: Company, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Approved 1' }).click()
  await page.getByRole('option', { name: /Callum Reid/ }).click()
  await page
    .getByRole('region', { name: 'Submission', exact: true })
    .getByText(/Approved by Tomas Ortega/)
    .waitFor()
  equal(await page.getByRole('navigation', { name: 'State' }).locator('[aria-current]').count(), 1)
  await page.getByText('before you. Your decision changed nothing.').waitFor({ state: 'detached' })
  const { results } = await client.submissions.list({ ...project, state: 'approved' })
  equal(results.map(({ author }) => author.name).join(), 'Callum Reid')
  equal((await client.submissions.list({ ...project, state: 'rejected' })).results.length, 0)
}
