import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { type EventType, eventPayloads, eventTypes } from '@earshot/contracts'
import { disableFailingEndpoints } from '@earshot/db/maintenance'
import type { Worker } from '@earshot/jobs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFile } from '../support/imports.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { makeReadyVideo } from '../support/videos.ts'
import { startWholeWorker } from '../support/whole-worker.ts'
import { isOfShape, isRecording, shapesIn, withoutSecrets } from './recording.ts'

/** What `events.types.list` shows: `npm run examples` records what has no example yet, or one of another shape. */
const EXAMPLES = new URL('../../server/src/webhooks/event-examples.json', import.meta.url)

/** The address that examples show, instead of one of a receiver in tests. */
const SHOWN_URL = `url = 'https://example.com/hooks/earshot'`

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
  'webhook.endpoint.disabled': disabled,
  'webhook.delivery.exhausted': exhausted,
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

function addEndpoint(team: Team, url: string) {
  return service.client(team.token).webhooks.create({ team_id: team.id, url, events: ['*'], description: 'Chat channel of the team' })
}

async function disabled(team: Team) {
  const { id } = await addEndpoint(team, 'http://127.0.0.1:9/')
  await service.database.run(
    `update webhook_endpoints
        set ${SHOWN_URL}, consecutive_failures = 10, last_success_at = now() - interval '6 days',
            first_failed_at = now() - interval '5 days', last_failed_at = now()
      where id = $1`,
    [id],
  )
  await disableFailingEndpoints(service.database)
}

async function exhausted(team: Team) {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  await using receiver = await startReceiver(resolve)
  await addEndpoint(team, receiver.url)
  await submitted(team)
  const response = await asked
  await service.database.run(`update webhook_endpoints set ${SHOWN_URL} where team_id = $1`, [team.id])
  response.writeHead(410).end('Gone')
  const events = () => service.database.run(`select id from events where team_id = $1 and type = 'webhook.delivery.exhausted'`, [team.id])
  await expect.poll(async () => (await events()).length).toBe(1)
}
