import { expect } from 'vitest'
import { makeTeam, makeUser, PASSWORD } from './people.ts'
import type { TestResponse, TestService } from './test-service.ts'

/** A service of this process or of another that takes requests. */
export interface RequestSender {
  send: (
    method: string,
    path: string,
    options?: { token?: string; body?: unknown },
  ) => Promise<Pick<TestResponse, 'status' | 'headers' | 'body'>>
}

export const LOG_IN = '/api/auth/token/'
export const REVOKE = `${LOG_IN}revoke/`

export interface TokenPair {
  access: string
  refresh: string
}

/** Makes a user with the common password who is an admin of a new team. */
export async function makeAccount({ database }: Pick<TestService, 'database'>): Promise<{ id: string; email: string; teamId: string }> {
  const { id, email } = await makeUser(database, PASSWORD)
  const team = await makeTeam(database)
  await database.run("insert into memberships (team_id, user_id, role) values ($1, $2, 'admin')", [team.id, id])
  return { id, email, teamId: team.id }
}

export async function login(service: RequestSender, email: string): Promise<TokenPair> {
  const { status, body } = await service.send('POST', LOG_IN, { body: { email, password: PASSWORD } })
  expect([status, Object.keys(body)]).toEqual([200, ['access', 'refresh']])
  return body
}

export async function refresh(service: RequestSender, token: string) {
  return service.send('POST', `${LOG_IN}refresh/`, { body: { refresh: token } })
}

/** Refreshes and returns the next pair. */
export async function refreshed(service: RequestSender, token: string): Promise<TokenPair> {
  const { status, body } = await refresh(service, token)
  expect([status, Object.keys(body)]).toEqual([200, ['access', 'refresh']])
  return body
}

/** Requests the user of a token. */
export async function whoAmI(service: RequestSender, token: string) {
  return service.send('GET', '/api/v1/me/', { token })
}
