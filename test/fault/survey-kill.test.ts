import { randomInt } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { Team } from '../support/people.ts'
import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { NPS } from '../support/questions.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const ROUNDS = 3
const CLIENTS = 8
/** So many that none of these respondents reaches it: each response is counted on the survey. */
const LIMIT = 1_000_000
const dataDir = makePreparedDataDir()
afterAll(() => dataDir[Symbol.asyncDispose]())

test('after kill -9 between responses every one has both its events and its count, or none of all', { timeout: 120_000 }, async () => {
  const environment = { EARSHOT_DATA_DIR: dataDir.path }
  let service = await startService(environment)
  const team = await dataDir.makeTeam()
  const { surveys } = service.client(team.token)
  const survey = await surveys.create({ ...team.project, name: 'NPS', questions: [{ ...NPS, type: 'nps' }], response_limit: LIMIT })
  await surveys.publish({ ...team.project, survey_id: survey.id })
  const answers = [{ question_id: survey.questions[0]?.id ?? '', value: 3 }]
  const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/surveys/${survey.id}/responses/`
  const acknowledged: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = acknowledged.length
    const load = Array.from({ length: CLIENTS }, () => respondUntilGone(service, { team, path, answers }, acknowledged))
    const killedAfter = randomInt(20, 60)
    await until('some are acknowledged', () => acknowledged.length >= before + killedAfter)
    process.kill(service.pid, 'SIGKILL')
    // Every second time the database dies at the same moment.
    if (round % 2 === 1) process.kill(dataDir.serverPid(), 'SIGKILL')
    await Promise.all([service.exit, ...load])

    service = await startService(environment)
    const stored = await readStored(team)
    const ids = stored.map(({ id }) => id)
    for (const id of acknowledged) expect(ids).toContain(id)
    expect(ids.length).toBeLessThanOrEqual(acknowledged.length + (round + 1) * CLIENTS)
    for (const row of stored) expect(row).toEqual({ id: row.id, events: ['nps.low_score', 'survey.response.created'] })
    const { response_count } = await service.client(team.token).surveys.retrieve({ ...team.project, survey_id: survey.id })
    expect(response_count).toBe(ids.length)
  }
  await service.stop()
})

interface Work {
  team: Team
  path: string
  answers: { question_id: string; value: number }[]
}

async function respondUntilGone(service: ServiceProcess, { team, path, answers }: Work, acknowledged: string[]): Promise<void> {
  for (;;) {
    const answer = await service.send('POST', path, { token: team.token, body: { answers } }).catch(() => null)
    if (answer?.status !== 201) return
    acknowledged.push(answer.body.id)
  }
}

/** Every response and every event of one, by the response. */
async function readStored({ id }: Team): Promise<{ id: string; events: string[] }[]> {
  await using database = await dataDir.openDatabase()
  const rows = await database.client<{ id: string; events: string[] }[]>`
    select coalesce(r.id::text, e.response_id) as id, array_agg(e.type order by e.type) as events
      from (select id from survey_responses where team_id = ${id}) r
      full join (
             select type, payload::jsonb -> 'data' -> 'response' ->> 'id' as response_id
               from events
              where team_id = ${id} and type in ('survey.response.created', 'nps.low_score')
           ) e on e.response_id = r.id::text
     group by 1`
  return rows
}
