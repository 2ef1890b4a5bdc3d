import { equal } from 'node:assert/strict'
import { createPastResponses } from '@earshot/db'
import { idAt } from '../../../app/demo/place.ts'
import type { Flow } from './fixture.ts'

const DAY_MS = 86_400_000

export const surveyResultsFlows: readonly Flow[] = [
  {
    name: 'survey results: the score over time has answers from before the survey was made',
    run: async ({ page, open, check, client, database, team, project }) => {
      const ref = { team_id: team.id, project_id: project.id }
      const question = { ref: 'recommend', type: 'nps' as const, title: 'Would you recommend us?', required: true }
      const { id: survey_id, questions } = await client.surveys.create({ ...ref, name: 'Loyalty', questions: [question] })
      const question_id = questions[0]?.id ?? ''
      await client.surveys.publish({ ...ref, survey_id })
      const scores = [
        { value: 10, days: 0 },
        { value: 3, days: 70 },
        { value: 9, days: 130 },
      ]
      const past = scores.map(({ value, days }) => ({
        id: idAt(new Date(Date.now() - days * DAY_MS)),
        channel: 'public' as const,
        answers: [{ question_id, value }],
      }))
      await database.transaction((tx) => createPastResponses(tx, { ...ref, survey_id }, past))
      await open(`surveys/${survey_id}/results`)
      await page.getByRole('heading', { name: 'Over time, by month' }).waitFor()
      await page.getByText('Show as a table').click()
      equal(await page.getByRole('figure').filter({ hasText: 'Over time' }).getByRole('rowheader').count(), 3)
      await check('a course of months')
      await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 90 days')
      await page.getByRole('heading', { name: 'Over time, by week' }).waitFor()
      await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 12 months')
      await page.getByRole('heading', { name: 'Over time, by month' }).waitFor()
    },
  },
]
