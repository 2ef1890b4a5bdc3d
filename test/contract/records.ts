import { randomUUID } from 'node:crypto'
import type { NamedOperation, Operation } from '@earshot/contracts'
import { expect } from 'vitest'
import { codeOf, setUpFactor } from '../support/authenticator.ts'
import { allowClient } from '../support/credentials.ts'
import { login } from '../support/logins.ts'
import { lastToken } from '../support/mails.ts'
import { beginSession, givePassword, makeTeam, makeUser, PASSWORD, type Team } from '../support/people.ts'
import type { TestService } from '../support/test-service.ts'
import { fill } from './call.ts'
import { operations } from './operations.ts'
import { type Known, requiredNames, sampleInput } from './samples.ts'

type Maker = (service: TestService, team: Team, path: Known) => Promise<unknown>

/** An address where nothing listens. */
const RECEIVER = 'http://127.0.0.1:9/hooks'

const HOUR_MS = 3_600_000

/** Makers of records that no POST to their collection creates. */
const makers: Record<string, Maker> = {
  team_id: async (_service, team) => team.id,
  project_id: async (_service, team) => team.project.project_id,
  public_key: async (_service, team) => team.publicKey,
  submission_id: async (_service, team) => (await team.submit()).id,
  tag: makeTag,
  survey_id: makeSurvey,
  widget_id: makeWidget,
  question_id: firstQuestion,
  response_id: makeResponse,
  import_id: (service, team) => makeImport(service, team, `'completed'`),
  video_id: (service, team) => makeVideo(service, team),
  caption_id: makeCaption,
  request_id: makePrivacyRequest,
  user_id: async (_service, team) => (await team.join('member')).id,
  delivery_id: makeDelivery,
  event_id: makeEvent,
  revoke_token: makeRevokeToken,
  invitation_id: makeInvitation,
  token: makeInvitationToken,
  session_id: async ({ database }, team) => beginSession(database, team.ownerId),
  authorization_id: async ({ database }, team) => allowClient(database, team.ownerId),
  email: async ({ database }) => (await makeUser(database, PASSWORD)).email,
  password: async () => PASSWORD,
  refresh: async (service) => (await login(service, (await makeUser(service.database, PASSWORD)).email)).refresh,
  url: async () => RECEIVER,
}

type InputMaker = (service: TestService, team: Team) => Promise<Record<string, unknown>>

/** Inputs of operations whose fields differ in meaning, or whose account must be prepared, by operation name. */
const inputMakers: Record<string, InputMaker> = {
  'auth.signUp': async () => ({ email: newAddress() }),
  'auth.verifyEmail': async (service) => {
    const email = newAddress()
    await service.send('POST', '/api/auth/signup/', { body: { email, name: 'Ada' } })
    return { token: await lastToken(service, email) }
  },
  'auth.passwordReset.confirm': async (service) => {
    const { email } = await makeUser(service.database, PASSWORD)
    await service.send('POST', '/api/auth/password-reset/', { body: { email } })
    return { token: await lastToken(service, email) }
  },
  'webhooks.replay': async () => ({ from: new Date(Date.now() - HOUR_MS).toISOString(), to: new Date().toISOString() }),
  'webhooks.stats': async (service, team) => ({ webhook_id: await makeBusyEndpoint(service, team), from: new Date().toISOString() }),
  'imports.create': async () => ({ csv: 'name,text\nAda,Saved us a week.\n' }),
  'imports.complete': async (service, team) => ({ import_id: await makeImport(service, team, `'uploaded'`) }),
  'imports.resume': async (service, team) => ({
    import_id: await makeImport(service, team, `'failed', error_code = 'quota_exceeded', error_detail = 'Used up.', file_until = now()`),
  }),
  'videos.complete': async (service, team) => ({ video_id: await makeVideo(service, team, UPLOADING) }),
  'videos.retry': async (service, team) => ({
    video_id: await makeVideo(
      service,
      team,
      `state = 'failed', error_code = 'timeout', error_detail = 'It took too long.', original_until = now()`,
    ),
  }),
  'public.uploads.complete': (service, team) => makeUpload(service, team),
  'public.drafts.update': async (service, team) => ({ ...(await makeUpload(service, team)), body: 'Saved us a week.' }),
  'public.drafts.submit': (service, team) => makeUpload(service, team),
  'me.changePassword': ownPassword,
  'me.mfa.enroll': ownPassword,
  'me.mfa.confirm': async (service, team) => {
    await ownPassword(service, team)
    const { secret } = await service.client(team.token).me.mfa.enroll({ password: PASSWORD })
    return { otp: codeOf(secret) }
  },
  'me.mfa.disable': async (service, team) => {
    const { password } = await ownPassword(service, team)
    const { secret } = await setUpFactor(service, team.token)
    // The current code was used to set it up.
    return { password, otp: codeOf(secret, 1) }
  },
}

/** Returns an input that succeeds: new records for the ids in path and body, samples for the rest. */
export async function makeInput(
  service: TestService,
  team: Team,
  { name: own, operation }: NamedOperation,
): Promise<Record<string, unknown>> {
  const path = await makePath(service, team, operation.path)
  const given = await inputMakers[own]?.(service, team)
  const known: Record<string, unknown> = { ...path, ...given }
  for (const name of requiredNames(operation.input)) {
    const make = makers[name]
    if (make && !(name in known)) known[name] = await make(service, team, path)
  }
  return { ...sampleInput(operation, known), ...given }
}

/** Creates the records that a path names, except the team’s own project and key. */
export async function makePath(service: TestService, team: Team, template: string): Promise<Record<string, string>> {
  const path: Record<string, string> = {}
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
    const make = makers[name] ?? ((...place: Parameters<Maker>) => createOne(...place, template.slice(0, template.indexOf(`{${name}}`))))
    path[name] = String(await make(service, team, path))
  }
  return path
}

/** Returns a path with an existing team and project and unknown other records, for checks that come before the record. */
export function emptyPath({ pathFields }: Operation, team: Team): Record<string, string> {
  const known: Record<string, string> = { ...team.project, public_key: team.publicKey }
  return Object.fromEntries([...pathFields].map((name) => [name, known[name] ?? randomUUID()]))
}

async function createOne(service: TestService, team: Team, path: Known, collection: string): Promise<unknown> {
  const create = operations.find(({ operation: { method, path: own } }) => method === 'POST' && own === collection)
  if (!create) throw new Error(`nothing makes a record at ${collection}: say in test/contract/records.ts how one comes to be`)
  const { operation } = create
  const known = { ...path, url: RECEIVER }
  const sample = sampleInput(operation, known)
  const body = Object.fromEntries(Object.entries(sample).filter(([name]) => operation.bodyFields.has(name)))
  const answer = await service.send('POST', fill(collection, path), { token: team.token, body })
  expect(answer, create.name).toMatchObject({ status: operation.status })
  return answer.body.id
}

/** Gives a submission a tag that no other has. */
async function makeTag(_service: TestService, team: Team): Promise<unknown> {
  const tag = `tag ${randomUUID().slice(0, 8)}`
  await team.submit({ tags: [tag] })
  return tag
}

/** Creates an event. */
async function makeEvent({ database }: TestService, team: Team): Promise<unknown> {
  await team.submit()
  const [event] = await database.run<{ id: string }>('select id from events where team_id = $1 order by id desc limit 1', [team.id])
  return event?.id
}

/** Creates a delivery through an event that its endpoint subscribes to. */
async function makeDelivery(service: TestService, team: Team, { webhook_id }: Known): Promise<unknown> {
  await service.client(team.token).webhooks.update({ team_id: team.id, webhook_id: String(webhook_id), events: ['*'] })
  await team.submit()
  const [delivery] = await service.database.run<{ id: string }>('select id from all_webhook_deliveries where endpoint_id = $1', [
    webhook_id,
  ])
  return delivery?.id
}

/** An endpoint with attempts in the present hour. */
async function makeBusyEndpoint({ client, database }: TestService, { id: team_id, token }: Team): Promise<string> {
  const { id } = await client(token).webhooks.create({ team_id, url: RECEIVER, events: ['*'] })
  await database.run(
    `insert into webhook_attempt_hours (
            team_id, endpoint_id, hour, succeeded, retried, bad_responses, timeouts, connection_errors, interrupted, latency_counts)
     select team_id, id, date_trunc('hour', now(), 'UTC'), 116, 3, 1, 2, 1, 0, array_fill(0, array[40]) || array[112, 6, 2]
       from webhook_endpoints
      where id = $1`,
    [id],
  )
  return id
}

/** Invites a new address. */
async function makeInvitation(service: TestService, team: Team): Promise<unknown> {
  const email = `${randomUUID()}@example.com`
  return (await service.client(team.token).invitations.create({ team_id: team.id, email, role: 'member' })).id
}

/** Invites the caller to another team. */
async function makeInvitationToken(service: TestService, team: Team): Promise<unknown> {
  const client = service.client(team.token)
  const { user } = await client.me.retrieve()
  const host = await makeTeam(service.database)
  await service.client(host.token).invitations.create({ team_id: host.id, email: user.email, role: 'member' })
  return lastToken(service, user.email)
}

/** Erases an unknown address. */
async function makePrivacyRequest(service: TestService, { id: team_id, token }: Team): Promise<unknown> {
  return (await service.client(token).privacy.erase({ team_id, email: newAddress() })).id
}

async function makeRevokeToken(service: TestService, team: Team): Promise<unknown> {
  const body = { body: 'Lovely', author: { name: 'Ada' }, consent: { granted: true } }
  const answer = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body })
  return answer.body.revoke_token
}

function newAddress(): string {
  return `${randomUUID()}@example.com`
}

/** The owner is the caller in the contract suite. */
async function ownPassword({ database }: TestService, { ownerId }: Team): Promise<{ password: string }> {
  await givePassword(database, ownerId)
  return { password: PASSWORD }
}

/** The first question of the survey of the path. */
async function firstQuestion(service: TestService, { token, project }: Team, { survey_id }: Known): Promise<unknown> {
  const { questions } = await service.client(token).surveys.retrieve({ ...project, survey_id: String(survey_id) })
  return questions[0]?.id
}

/** A response to the survey of the path. */
async function makeResponse(service: TestService, team: Team, path: Known): Promise<unknown> {
  const question_id = String(await firstQuestion(service, team, path))
  const { responses } = service.client(team.token)
  return (await responses.create({ ...team.project, survey_id: String(path.survey_id), answers: [{ question_id, value: 9 }] })).id
}

/** Creates a widget; a public path names no project. */
async function makeWidget(service: TestService, { token, project }: Team): Promise<unknown> {
  return (await service.client(token).widgets.create({ ...project, name: 'Widget', layout: 'wall' })).id
}

/** A survey that is active, so that it can be closed, and published again without effect. */
async function makeSurvey(service: TestService, { token, project }: Team): Promise<string> {
  const { surveys } = service.client(token)
  const questions = [{ ref: 'recommend', type: 'nps' as const, title: 'How likely are you to recommend us?' }]
  const { id: survey_id } = await surveys.create({ ...project, name: 'Survey', questions })
  await surveys.publish({ ...project, survey_id })
  return survey_id
}

/** An import with a row that failed, in a state that no worker has brought it to. */
async function makeImport(service: TestService, { token, project }: Team, state: string): Promise<string> {
  const request = { ...project, target: 'testimonials' as const, file_name: 'testimonials.csv', size_bytes: 100 }
  const { id } = await service.client(token).imports.create(request)
  await service.database.run(`update imports set state = ${state} where id = $1`, [id])
  await service.database.run(
    `insert into import_rows (team_id, project_id, import_id, row_number, line, column_name, code, detail, row_text)
     select team_id, project_id, id, 7, 8, 'rating', 'invalid_format', 'is not a rating that can be read; use 1 to 5', 'Ada,seven'
       from imports where id = $1`,
    [id],
  )
  return id
}

const UPLOADING = `state = 'uploading', offset_bytes = size_bytes`
const READY = `state = 'ready', offset_bytes = size_bytes, attempt = 1, duration_ms = 61400, width = 1080, height = 1920, clip_key = 'videos/clip',
  clip_bytes = 1, poster_key = 'videos/poster', poster_bytes = 1`
const FILE = {
  ...{ file_name: 'clip.webm', content_type: 'video/webm', size_bytes: 1_048_576 },
  draft: { body: 'Saved us a week.', author: { name: 'Ada Lovelace', email: 'ada@example.com' }, consent: { granted: true } },
}

/** A video, in a state that no worker has brought it to. */
async function makeVideo(service: TestService, { token, project }: Team, state = READY): Promise<string> {
  const { video } = await service.client(token).videos.reserve({ ...project, ...FILE })
  await service.database.run(`update videos set ${state} where id = $1`, [video.id])
  return video.id
}

/** A visitor's upload that can be completed, with its token. */
async function makeUpload(service: TestService, { publicKey }: Team): Promise<{ video_id: string; upload_token: string }> {
  const { id: video_id, upload } = await service.client().public.uploads.reserve({ public_key: publicKey, ...FILE })
  await service.database.run(`update videos set ${UPLOADING} where id = $1`, [video_id])
  return { video_id, upload_token: upload.token }
}

async function makeCaption(service: TestService, { token, project }: Team, { video_id }: Known): Promise<unknown> {
  const captions = { language: 'de', vtt: 'WEBVTT' }
  return (await service.client(token).videos.captions.create({ ...project, video_id: String(video_id), ...captions })).id
}
