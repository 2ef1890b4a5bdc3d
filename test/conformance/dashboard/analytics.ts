import { equal } from 'node:assert/strict'
import type { Fixture, Flow } from './fixture.ts'

export const analyticsFlows: readonly Flow[] = [
  {
    name: 'analytics: figures, the course of the score and its table',
    run: async (fixture) => {
      const { page, open, check, client, team, project } = fixture
      await open('analytics')
      await page.getByRole('heading', { name: 'Nothing arrived in this time' }).waitFor()
      await page.getByRole('heading', { name: 'No answers in this time' }).waitFor()
      await check('no figures')
      await client.submissions.create({ team_id: team.id, project_id: project.id, body: 'Good.', rating: 4, author: { name: 'Ada' } })
      await answer(fixture, [10, 9, 7, 0])
      await page.reload()
      await page.getByRole('heading', { name: 'Ratings' }).waitFor()
      await page.getByText('from 4 answers', { exact: true }).waitFor()
      const slider = page.getByRole('slider', { name: 'Net Promoter Score over time: period' })
      equal(await slider.getAttribute('aria-valuetext').then((text) => text?.endsWith('NPS +25 from 4 answers')), true)
      await slider.focus()
      await page.keyboard.press('ArrowLeft')
      await page.getByText('no answers', { exact: false }).first().waitFor()
      await page.getByText('Show as a table').last().click()
      await page.getByRole('cell', { name: '+25', exact: true }).waitFor()
      await check('figures')
      await page.getByRole('link', { name: '90 days' }).click()
      await page.waitForURL('**/analytics?range=90d')
      await page.getByRole('columnheader', { name: 'Week from' }).waitFor()
      await page.getByRole('link', { name: '12 months' }).click()
      await page.getByRole('columnheader', { name: 'Month', exact: true }).waitFor()
      const drawing = page.getByRole('figure').filter({ has: slider })
      equal(await drawing.locator('circle.dot').count(), 1)
      const labels = await drawing.locator('text[text-anchor="middle"]').allTextContents()
      equal(new Set(labels).size, labels.length)
    },
  },
]

async function answer({ client, team, project }: Fixture, scores: readonly number[]): Promise<void> {
  const ref = { team_id: team.id, project_id: project.id }
  const question = { ref: 'recommend', type: 'nps' as const, title: 'Would you recommend us?', required: true }
  const survey = await client.surveys.create({ ...ref, name: 'Loyalty', questions: [question] })
  const question_id = survey.questions[0]?.id ?? ''
  await client.surveys.publish({ ...ref, survey_id: survey.id })
  for (const value of scores) await client.responses.create({ ...ref, survey_id: survey.id, answers: [{ question_id, value }] })
}
