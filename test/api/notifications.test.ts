import type { NotificationKind } from '@earshot/contracts'
import { foldResponseChanges, foldSubmissionChanges } from '@earshot/db/dispatch'
import { sendNotifications } from '@earshot/db/maintenance'
import { unsubscribeToken } from '@earshot/drivers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readMails } from '../support/mails.ts'
import { makeTeam, makeTokenOf, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const PATH = '/api/v1/me/notifications/'
const PAGE = '/accounts/unsubscribe/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const DAILY = { pending: 'daily', low_nps: 'daily' }
const DAY_MS = 86_400_000

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
})
afterAll(() => service.close())

test('a member has one entry for each team, daily at first, and changes one without the others', async () => {
  const other = await makeTeam(service.database)
  const member = await team.join('member')
  const token = await makeTokenOf(service.database, member, ['read:profile', 'write:profile'])
  await service.database.run("insert into memberships (team_id, user_id, role) values ($1, $2, 'viewer')", [other.id, member.id])
  const read = async () => (await service.send('GET', PATH, { token })).body
  const entry = (of: Team, choice = {}) => ({ team_id: of.id, ...DAILY, ...choice })
  expect(await read()).toEqual({ teams: [entry(other), entry(team)] })

  const changed = await service.send('PATCH', PATH, { token, body: { team_id: team.id, pending: 'instant' } })
  expect([changed.status, changed.body]).toEqual([200, { teams: [entry(other), entry(team, { pending: 'instant' })] }])
  await service.send('PATCH', PATH, { token, body: { team_id: team.id, low_nps: 'off' } })
  await service.send('PATCH', PATH, { token, body: { team_id: team.id } })
  expect(await read()).toEqual({ teams: [entry(other), entry(team, { pending: 'instant', low_nps: 'off' })] })

  const strange = await makeTeam(service.database)
  for (const body of [{ team_id: strange.id, pending: 'off' }, { team_id: strange.id }]) {
    expect(await service.send('PATCH', PATH, { token, body })).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
  expect(await service.send('PATCH', PATH, { token, body: { team_id: team.id, pending: 'weekly' } })).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'pending' }] },
  })
})

test('a daily mail goes at eight in the morning of the member, once, and to nobody who only looks on', async () => {
  const [member, viewer] = [await team.join('member'), await team.join('viewer')]
  await service.send('PATCH', '/api/v1/me/', {
    token: await makeTokenOf(service.database, member, ['write:profile']),
    body: { timezone: 'Asia/Tokyo' },
  })
  const { name } = await service.client(team.token).projects.retrieve(team.project)
  await team.submit()
  await fold()
  await team.submit()
  await fold()
  // Tokyo is nine hours ahead of UTC, all year: eight there is 23 UTC.
  const due = new Date((await dueOf(member.id)) ?? '')
  expect([due.getUTCHours(), due.getUTCMinutes()]).toEqual([23, 0])
  expect(due.getTime() - Date.now()).toBeGreaterThan(0)
  expect(due.getTime() - Date.now()).toBeLessThanOrEqual(DAY_MS)
  expect(new Date((await dueOf(team.ownerId)) ?? '').getUTCHours()).toBe(8)
  expect(await dueOf(viewer.id)).toBeNull()

  await sendAll()
  expect(await mailsTo(member.id)).toBe(0)
  await makeDue()
  await Promise.all([sendAll(), sendAll()])
  const [mail, ...more] = await readMails(service, member.email)
  expect(more).toEqual([])
  expect(mail?.subject).toBe('Acme has 2 new submissions')
  expect(mail?.text).toContain(`The team Acme has 2 new submissions, waiting for a decision: ${name} (2).`)
  expect([await mailsTo(team.ownerId), await mailsTo(viewer.id)]).toEqual([1, 0])
  expect(await dueOf(member.id)).toBeNull()

  await team.submit()
  await fold()
  await makeDue()
  await sendAll()
  expect((await readMails(service, member.email)).at(-1)?.subject).toBe('Acme has 1 new submission')
})

test('no mail is about nothing: what was decided or deleted meanwhile is no news', async () => {
  const client = service.client(team.token)
  const [first, second] = [await team.submit(), await team.submit()]
  await fold()
  await client.submissions.approve({ ...team.project, submission_id: first.id })
  await client.submissions.delete({ ...team.project, submission_id: second.id })
  await makeDue()
  await sendAll()
  expect(await mailsTo(team.ownerId)).toBe(0)
  expect(await dueOf(team.ownerId)).toBeNull()
})

test('an instant mail goes within a minute, and the next one not before ten minutes', async () => {
  await service.database.run("update memberships set joined_at = now() - interval '1 hour' where team_id = $1", [team.id])
  await choose({ pending: 'instant' })
  await team.submit()
  await fold()
  expect(await secondsUntilDue()).toBeGreaterThan(50)
  expect(await secondsUntilDue()).toBeLessThanOrEqual(60)
  await makeDue()
  await sendAll()
  expect(await mailsTo(team.ownerId)).toBe(1)
  await team.submit()
  await fold()
  expect(await secondsUntilDue()).toBeGreaterThan(9 * 60)
  expect(await secondsUntilDue()).toBeLessThanOrEqual(10 * 60)
})

test('a change of the frequency moves what is due, and off ends it', async () => {
  await team.submit()
  await fold()
  await choose({ pending: 'instant' })
  expect(await secondsUntilDue()).toBeLessThanOrEqual(10 * 60)
  await choose({ pending: 'off' })
  expect(await dueOf(team.ownerId)).toBeNull()
  await team.submit()
  await fold()
  expect(await dueOf(team.ownerId)).toBeNull()
})

test('scores below the threshold of the team are told by survey, others are not', async () => {
  const client = service.client(team.token)
  const survey = await client.surveys.create({
    ...team.project,
    name: 'Relations',
    questions: [{ ref: 'recommend', type: 'nps', title: 'How likely are you to recommend us?' }],
  })
  await client.surveys.publish({ ...team.project, survey_id: survey.id })
  const [question] = survey.questions
  const respond = (value: number) =>
    client.responses.create({ ...team.project, survey_id: survey.id, answers: [{ question_id: question?.id ?? '', value }] })
  await respond(9)
  await respond(7)
  await fold()
  expect(await dueOf(team.ownerId, 'low_nps')).toBeNull()
  await respond(6)
  await respond(0)
  await fold()
  await makeDue()
  await sendAll()
  const { email } = await ownerOf()
  const [mail] = await readMails(service, email)
  expect(mail?.subject).toBe('Acme has 2 low NPS scores')
  expect(mail?.text).toContain('The team Acme has 2 low NPS scores, below 7: Relations (2).')
})

test('the link of a mail ends its kind of mails, with a button or with the one click of a mail program', async () => {
  await team.submit()
  await fold()
  await makeDue()
  await sendAll()
  const { email } = await ownerOf()
  const token = (await readMails(service, email))[0]?.token ?? ''
  const page = await service.send('GET', `${PAGE}?token=${token}`)
  expect(page.status).toBe(200)
  expect(page.body).toContain('<button>Stop these mails</button>')
  expect(await chosen()).toEqual(DAILY)
  const oneClick = await service.send('POST', `${PAGE}?token=${token}`, { headers: FORM, body: 'List-Unsubscribe=One-Click' })
  expect(oneClick.status).toBe(200)
  expect(await chosen()).toEqual({ ...DAILY, pending: 'off' })

  await choose({ pending: 'daily' })
  const pressed = await service.send('POST', PAGE, { headers: FORM, body: `token=${token}` })
  expect(pressed.body).toContain('You will not get these mails any more.')
  expect(await chosen()).toEqual({ ...DAILY, pending: 'off' })
})

test('a link that was altered ends nothing; that of a former member does no harm', async () => {
  const member = await team.join('member')
  const token = unsubscribeToken(service.secretBox, { kind: 'pending', team_id: team.id, user_id: member.id })
  const altered = [token.replace('pending', 'low_nps'), token.replace(member.id, team.ownerId), token.slice(0, -1), 'x', '']
  for (const wrong of altered) {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await service.send(method, `${PAGE}?token=${wrong}`, method === 'POST' ? { headers: FORM, body: '' } : {})
      expect(answer.status, `${method} ${wrong}`).toBe(401)
    }
  }
  expect(await chosen()).toEqual(DAILY)
  await service.client(team.token).members.delete({ team_id: team.id, user_id: member.id })
  expect((await service.send('POST', `${PAGE}?token=${token}`, { headers: FORM, body: '' })).status).toBe(200)
})

async function fold(): Promise<void> {
  while ((await foldSubmissionChanges(service.database, { max: 1_000 })) > 0);
  while ((await foldResponseChanges(service.database, { max: 1_000 })) > 0);
}

function sendAll(): Promise<number> {
  return sendNotifications(service.database)
}

function makeDue(): Promise<unknown> {
  return service.database.run("update notifications set due_at = now() - interval '1 second' where team_id = $1 and due_at is not null", [
    team.id,
  ])
}

async function dueOf(userId: string, kind: NotificationKind = 'pending'): Promise<string | null> {
  const [row] = await service.database.run<{ due_at: string | null }>(
    'select due_at from notifications where team_id = $1 and user_id = $2 and kind = $3',
    [team.id, userId, kind],
  )
  return row?.due_at ?? null
}

async function secondsUntilDue(): Promise<number> {
  return (new Date((await dueOf(team.ownerId)) ?? '').getTime() - Date.now()) / 1_000
}

async function ownerOf(): Promise<{ email: string }> {
  const [owner] = await service.database.run<{ email: string }>('select email from users where id = $1', [team.ownerId])
  return { email: owner?.email ?? '' }
}

async function mailsTo(userId: string): Promise<number> {
  const rows = await service.database.run('select from mails m join users u on u.email = m.recipient where u.id = $1', [userId])
  return rows.length
}

function choose(choice: object): Promise<unknown> {
  return service.client(team.token).me.notifications.update({ team_id: team.id, ...choice })
}

async function chosen(): Promise<object> {
  const { teams } = await service.client(team.token).me.notifications.retrieve({})
  const { team_id: _team, ...choice } = teams.find(({ team_id }) => team_id === team.id) ?? {}
  return choice
}
