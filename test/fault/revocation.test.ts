import { CredentialKind, type Role } from '@earshot/contracts'
import { addTeamMember, setTeamPlan } from '@earshot/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCredential, type PresentedCredential } from '../support/credentials.ts'
import { makeTeam, makeUser, PASSWORD, type Team } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'

const GENEROUS_MS = 60_000

let remote: RemoteDatabase
let one: ServiceProcess
let other: ServiceProcess

/** Two processes that share nothing but their PostgreSQL and secret key. */
beforeAll(async () => {
  remote = await openRemoteDatabase()
  const environment = { ...remote.environment, EARSHOT_ROLE: 'api' }
  ;[one, other] = await Promise.all([startService(environment), startService(environment)])
}, GENEROUS_MS)
afterAll(async () => {
  await Promise.all([one, other].map((service) => service?.[Symbol.asyncDispose]()))
  await remote?.[Symbol.asyncDispose]()
})

interface Person {
  id: string
  team: Team
  credentials: ReadonlyMap<CredentialKind, PresentedCredential>
}

test.for(['pat', 'oauth2', 'jwt', 'session'] as const)(
  'a %s that one process ends is refused on the next request of the other',
  async (kind) => {
    const person = await makePerson('admin')
    const shown = shownOf(person, kind)
    expect(await rename(other, person, shown)).toMatchObject({ status: 200 })
    const { credential } = (await one.send('GET', '/api/v1/me/', shown)).body
    // Tokens, authorizations and logins are ended with a session of the same person.
    const ends = {
      pat: `/api/v1/me/tokens/${credential.id}/`,
      oauth2: `/api/v1/me/authorizations/${credential.id}/`,
      jwt: `/api/v1/me/sessions/${credential.id}/`,
      session: `/api/v1/me/sessions/${credential.id}/`,
    }
    expect(await one.send('DELETE', ends[kind], shownOf(person, 'session'))).toMatchObject({ status: 204 })
    expect(await rename(other, person, shown)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    expect(await rename(one, person, shown)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  },
)

test('a lower role takes effect on the next request of every process, for each kind of credential', async () => {
  const person = await makePerson('admin')
  await expectEverywhere(person, { status: 200 })
  const path = `/api/v1/teams/${person.team.id}/members/${person.id}/`
  expect(await one.send('PATCH', path, { token: person.team.token, body: { role: 'member' } })).toMatchObject({ status: 200 })
  await expectEverywhere(person, { status: 403, body: { code: 'insufficient_role' } })
})

test('a removal from the team takes effect on the next request of every process, for each kind of credential', async () => {
  const person = await makePerson('admin')
  await expectEverywhere(person, { status: 200 })
  const path = `/api/v1/teams/${person.team.id}/members/${person.id}/`
  expect(await one.send('DELETE', path, { token: person.team.token })).toMatchObject({ status: 204 })
  await expectEverywhere(person, { status: 404, body: { code: 'not_found' } })
})

test('a downgrade takes effect on the next request of every process, except for sessions', async () => {
  const person = await makePerson('admin')
  await expectEverywhere(person, { status: 200 })
  await setTeamPlan(remote.database, { team_id: person.team.id, plan: 'free' })
  const refused = { status: 403, body: { code: 'plan_without_api_access' } }
  for (const service of [one, other])
    for (const [kind, shown] of person.credentials) {
      expect(await rename(service, person, shown), kind).toMatchObject(kind === 'session' ? { status: 200 } : refused)
    }
})

test('a new password set in one process ends the sessions and logins of the other', async () => {
  const person = await makePerson('admin')
  const body = { password: PASSWORD, new_password: 'another horse battery staple' }
  const headers = shownOf(person, 'session').headers ?? {}
  expect(await one.send('POST', '/api/v1/me/password/', { body, headers })).toMatchObject({ status: 204 })
  for (const kind of ['jwt', 'session'] as const) {
    expect(await rename(other, person, shownOf(person, kind)), kind).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  }
})

async function makePerson(role: Role): Promise<Person> {
  const { database } = remote
  const team = await makeTeam(database)
  const { id } = await makeUser(database, PASSWORD)
  await addTeamMember(database, { team_id: team.id, userId: id, role })
  const make = async (kind: CredentialKind) => [kind, await makeCredential({ ...one, database }, id, kind)] as const
  return { id, team, credentials: new Map(await Promise.all(CredentialKind.options.map(make))) }
}

function shownOf({ credentials }: Person, kind: CredentialKind): PresentedCredential {
  return credentials.get(kind) ?? {}
}

function rename(service: ServiceProcess, { team }: Person, shown: PresentedCredential) {
  return service.send('PATCH', `/api/v1/teams/${team.id}/`, { ...shown, body: { name: 'Renamed' } })
}

async function expectEverywhere(person: Person, outcome: object): Promise<void> {
  for (const service of [one, other])
    for (const [kind, shown] of person.credentials) expect(await rename(service, person, shown), kind).toMatchObject(outcome)
}
