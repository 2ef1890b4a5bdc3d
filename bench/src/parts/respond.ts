import { findSurvey } from '@earshot/db'
import { startBaseline } from '../baseline-process.ts'
import { type Child, startChild } from '../child-process.ts'
import { makeSurvey } from '../growth/responses.ts'
import { findPostgres } from '../postgres-process.ts'
import type { PartReport } from '../report.ts'
import { alternate, type Contender, costsTable, ratioOf } from '../rounds.ts'
import { startService } from '../service-process.ts'
import { analyze, createTeams, openBenchDatabase } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const TEAMS = 50
const CONNECTIONS = 20
const GOAL = 0.85
const VALUES = {
  ...{ recommend: 9, stars: 5, support: 4, effort: 6, source: 'friend', uses: ['web', 'fair'], stays: true, seats: 12 },
  ...{ words: 'The import was quick.', more: 'We moved in a day, and nobody had to ask for help.' },
}

/** Measures public responses of ten answers to many surveys against a baseline that writes the same rows by hand. fsync is on. */
export async function benchRespond({ rounds, requests }: { rounds: number; requests: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path, { EARSHOT_ROLE: 'api', EARSHOT_TRUST_PROXY: '1' })
  await using database = openBenchDatabase(service.address)
  const teams = await createTeams(database, TEAMS)
  const surveys = await Promise.all(
    teams.map(async (team) => {
      const { id: survey_id } = await makeSurvey(database, team)
      const { questions } = await findSurvey(database, { team_id: team.id, project_id: team.project_id, survey_id })
      const answers = questions.map(({ id, ref }) => ({ question_id: id, value: VALUES[ref as keyof typeof VALUES] }))
      return { survey_id, body: { answers } }
    }),
  )
  await analyze(database)
  await using baseline = await startBaseline(service.address)
  await using secondBaseline = await startBaseline(service.address)
  await using generator: Child = await startChild(new URL('../load.ts', import.meta.url))
  const contender = (name: string, { pid, url }: { pid: number; url: string }, pathOf: (surveyId: string) => string): Contender => ({
    name,
    pid,
    load: {
      ...{ url, connections: CONNECTIONS, requests, status: 201 },
      targets: surveys.map(({ survey_id, body }) => ({ method: 'POST', path: pathOf(survey_id), headers: {}, body })),
    },
  })
  const byHand = (surveyId: string) => `/responses/${surveyId}/`
  const contenders = [
    contender('service', service, (surveyId) => `/api/public/v1/surveys/${surveyId}/responses/`),
    contender('baseline', baseline, byHand),
    contender('second baseline', secondBaseline, byHand),
  ]
  const costs = await alternate(generator, await findPostgres(database), contenders, rounds)
  const ratio = ratioOf(costs, ['baseline', 'second baseline'], 'service')
  return {
    title: `Public responses of ten answers to ${TEAMS} surveys, ${CONNECTIONS} connections, fsync on`,
    findings: [
      { what: 'processor time, baseline ÷ service', figure: ratio.toFixed(2), goal: `≥ ${GOAL}`, met: ratio >= GOAL },
      {
        what: 'control: baseline ÷ second baseline',
        figure: ratioOf(costs, ['baseline'], 'second baseline').toFixed(2),
        goal: 'about 1',
        met: null,
      },
    ],
    details: [costsTable(costs.values())],
  }
}
