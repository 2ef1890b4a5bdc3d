import { expect, test } from 'vitest'
import { earshot } from './command-line.ts'
import { playService } from './fake-service.ts'
import { PLACE, PROJECT, page, TEAM } from './records.ts'

const SURVEY = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e08'
const RESPONSE = '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e09'
const DAY_MS = 86_400_000

/** Half a second off, so that no clock tick in between changes the text. */
function ago(days: number): string {
  return new Date(Date.now() - days * DAY_MS - 500).toISOString()
}

function survey(change: Record<string, unknown>): Record<string, unknown> {
  return {
    ...{ id: SURVEY, team_id: TEAM, project_id: PROJECT, name: 'After onboarding', status: 'active', version: 2, questions: [] },
    ...{ language: 'en', translations: {}, thank_you_text: null, closes_at: null, response_limit: null, one_per_respondent: false },
    ...{ response_count: null, created_at: ago(3), updated_at: ago(3), ...change },
  }
}

function response(nps_score: number | null, respondent: Record<string, unknown>): Record<string, unknown> {
  return {
    ...{ id: RESPONSE, team_id: TEAM, project_id: PROJECT, survey_id: SURVEY, survey_version: 2, answers: [], nps_score },
    respondent: { external_id: null, email: null, name: null, properties: {}, ...respondent },
    ...{ language: null, channel: 'public', hidden: {}, duration_ms: null },
    ...{ completed_at: ago(2), created_at: ago(2), updated_at: ago(2) },
  }
}

async function linesOf(args: string[], records: unknown[], env: Record<string, string> = { NO_COLOR: '1' }): Promise<string[]> {
  await using service = await playService(page(records))
  const { out } = await earshot(args, { url: service.url, env: { ...PLACE, ...env }, columns: 100 })
  return out.trimEnd().split('\n')
}

test('surveys show name, status and what they have taken', async () => {
  const records = [survey({}), survey({ name: 'Churn', status: 'draft', version: 1, response_limit: 500, response_count: 12 })]
  expect(await linesOf(['surveys', 'list'], records)).toEqual([
    'id                                    name              status  version  responses  limit  age',
    `${SURVEY}  After onboarding  active        2          -      -   3d`,
    `${SURVEY}  Churn             draft         1         12    500   3d`,
  ])
})

test('responses show score, respondent and age; promoters are green, passives yellow, detractors red', async () => {
  const records = [
    response(10, { name: 'Ada Lovelace' }),
    response(7, { external_id: 'user_42' }),
    response(0, { email: 'cem@example.com' }),
    response(null, {}),
  ]
  expect(await linesOf(['responses', 'list', SURVEY], records)).toEqual([
    'id                                    nps  respondent    email            version  channel  age',
    `${RESPONSE}   10  Ada Lovelace  -                      2  public    2d`,
    `${RESPONSE}    7  user_42       -                      2  public    2d`,
    `${RESPONSE}    0  -             cem@example.com        2  public    2d`,
    `${RESPONSE}    -  -             -                      2  public    2d`,
  ])
  const [, promoter, passive, detractor] = await linesOf(['responses', 'list', SURVEY], records, { FORCE_COLOR: '1' })
  expect(promoter).toContain('\u001b[32m10')
  expect(passive).toContain('\u001b[33m7')
  expect(detractor).toContain('\u001b[31m0')
})
