import { readFileSync, writeFileSync } from 'node:fs'
import { type EventType, eventPayloads, eventTypes } from '@earshot/contracts'
import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFile } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeReadyVideo } from '../support/videos.ts'
import { startWholeWorker } from '../support/whole-worker.ts'
import { isOfShape, isRecording, shapesIn, withoutSecrets } from './recording.ts'

/** What `events.types.list` shows: `npm run examples` records what has no example yet, or one of another shape. */
const EXAMPLES = new URL('../../server/src/webhooks/event-examples.json', import.meta.url)

const stored: Record<string, unknown> = JSON.parse(readFileSync(EXAMPLES, 'utf8'))
const recorded: Record<string, unknown> = {}

let service: TestService
let worker: Worker
beforeAll(async () => {
  service = await startTestService()
  worker = await startWholeWorker(service, { concurrency: 0 })
})
afterAll(async () => {
  await worker.stop({ timeoutMs: 0 })
  await service.close()
  if (isRecording) writeFileSync(EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`)
})

/** What makes each event happen. */
const causes: Record<EventType, (team: Team) => Promise<unknown>> = {
  'submission.created': submitted,
  'submission.approved': async (team) => moderated(team, 'approve'),
  'submission.rejected': async (team) => moderated(team, 'reject'),
  'testimonial.created': (team) =>
    service
      .client(team.token)
      .testimonials.create({ ...team.project, body: 'Support answers within minutes.', author: { name: 'Grace Hopper' } }),
  'survey.response.created': (team) => answered(team, 9),
  'nps.low_score': (team) => answered(team, 3),
  'video.ready': (team) => makeReadyVideo(service, team, { clip: Buffer.from('a clip') }),
  'import.completed': (team) => importFile(service, team, { csv: 'name,text\nAda Lovelace,Saved us a week.\n' }),
  'team.member.added': (team) => team.join('member'),
  'team.invitation.created': (team) =>
    service.client(team.token).invitations.create({ team_id: team.id, email: 'grace@example.com', role: 'member' }),
  'user.profile.updated': (team) => service.client(team.token).me.update({ name: 'Ada Lovelace' }),
}

test.for(eventPayloads)('$shape.type.value has an example of the shape of a real event', async (payload) => {
  const type = payload.shape.type.value
  const team = await makeTeam(service.database)
  await causes[type](team)
  const [event] = await service.database.run<{ payload: string }>('select payload from events where team_id = $1 and type = $2', [
    team.id,
    type,
  ])
  const [shown, real] = [stored[type], withoutSecrets(JSON.parse(event?.payload ?? 'null'))]
  expect(payload.safeParse(real).error).toBeUndefined()
  recorded[type] = isOfShape(shown, real) ? shown : real
  if (isRecording) return
  expect(payload.safeParse(shown).error).toBeUndefined()
  expect(shapesIn(shown, real)).toEqual(shapesIn(real, shown))
})

test('there is an example of each type, and of no other', () => {
  if (!isRecording) expect(Object.keys(stored)).toEqual(eventTypes)
})

function submitted(team: Team) {
  const author = { author_name: 'Ada Lovelace', author_company: 'Analytical Engines' }
  return team.submit({ title: 'A week', body: 'Saved us a week.', rating: 5, ...author, consent_granted: true, tags: ['onboarding'] })
}

async function moderated(team: Team, decision: 'approve' | 'reject') {
  const { id: submission_id } = await submitted(team)
  await service.client(team.token).submissions[decision]({ ...team.project, submission_id })
}

async function answered(team: Team, value: number) {
  const { surveys, responses } = service.client(team.token)
  const questions = [{ ref: 'recommend', type: 'nps' as const, title: 'How likely are you to recommend us?' }]
  const { id: survey_id } = await surveys.create({ ...team.project, name: 'After the first week', questions })
  const { questions: published } = await surveys.publish({ ...team.project, survey_id })
  const answers = [{ question_id: String(published[0]?.id), value }]
  await responses.create({ ...team.project, survey_id, answers, respondent: { name: 'Ada Lovelace', email: 'ada@example.com' } })
}
