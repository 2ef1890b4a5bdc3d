import { createHash, randomBytes } from 'node:crypto'
import type { Scope } from '@earshot/contracts'
import type { OAuthClientRow } from '@earshot/db/oauth'
import { type AppOptions, DEVICE_CODE, makeToken } from '@earshot/server'
import { type Browser, openBrowser } from './browser.ts'
import { registerClient } from './credentials.ts'
import { freePort } from './free-port.ts'
import { makeTeam, makeUser, PASSWORD, type Team } from './people.ts'
import { startTestService, type TestResponse, type TestService } from './test-service.ts'

export const CALLBACK = 'https://app.example/callback'

/** A service with its real address as base URL, as client libraries need it, and a person who is signed in. */
export interface OAuthFixture {
  service: TestService
  team: Team
  person: { id: string; email: string }
  browser: Browser
}

/** A client with its secret. */
export interface TestClient {
  row: OAuthClientRow
  id: string
  secret: string | undefined
}

export async function startOAuthFixture(overrides: Partial<AppOptions> = {}): Promise<OAuthFixture> {
  const port = await freePort()
  const service = await startTestService({ baseUrl: `http://127.0.0.1:${port}`, ...overrides }, { port })
  const team = await makeTeam(service.database)
  const { person, browser } = await signInSomebody(service, team)
  return { service, team, person, browser }
}

/** Makes another member of the team, signed in with a browser of their own. */
export async function signInSomebody(service: TestService, team: Team) {
  const { id, email } = await makeUser(service.database, PASSWORD)
  await service.database.run("insert into memberships (team_id, user_id, role) values ($1, $2, 'admin')", [team.id, id])
  const browser = openBrowser(service)
  await browser.signIn(email, PASSWORD)
  return { person: { id, email }, browser }
}

export async function makeClient(
  { service }: Pick<OAuthFixture, 'service'>,
  fields: {
    clientId?: string
    confidential?: boolean
    redirectUris?: string[]
    grantTypes?: string[]
    scopes?: Scope[]
    name?: string
  } = {},
): Promise<TestClient> {
  const { token: secret, hash } = makeToken('svs_')
  const row = await registerClient(service.database, {
    ...(fields.clientId !== undefined && { clientId: fields.clientId }),
    ...(fields.name !== undefined && { name: fields.name }),
    ...(fields.confidential && { secretHash: hash }),
    redirectUris: fields.redirectUris ?? [CALLBACK],
    grantTypes: fields.grantTypes ?? ['authorization_code', 'refresh_token', DEVICE_CODE],
    scopes: fields.scopes ?? ['read:profile', 'read:projects', 'write:projects'],
  })
  return { row, id: row.client_id, secret: fields.confidential ? secret : undefined }
}

export function makeVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns the path of a valid authorization request with changes; undefined removes a parameter. */
export function authorizePath(client: TestClient, changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    client_id: client.id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    state: 'st4te',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    ...changes,
  }
  return `/o/authorize/?${encode(parameters)}`
}

/** Allows the client in the browser. Returns the code and its verifier. */
export async function getCode(fixture: OAuthFixture, client: TestClient, changes: Record<string, string | undefined> = {}) {
  const { verifier, challenge } = makeVerifier()
  await fixture.browser.open(authorizePath(client, { code_challenge: challenge, ...changes }))
  const location = await fixture.browser.press('allow')
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  return { code, verifier, redirectUri: changes.redirect_uri ?? CALLBACK }
}

/** Returns the parameters that exchange a code. */
export function codeGrant({ code, verifier, redirectUri }: Awaited<ReturnType<typeof getCode>>): Record<string, string> {
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
}

/** Gets tokens for the client through the consent page. */
export async function getTokens(fixture: OAuthFixture, client: TestClient): Promise<{ access_token: string; refresh_token: string }> {
  const { status, body } = await post(fixture, '/o/token/', { ...own(client), ...codeGrant(await getCode(fixture, client)) })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

/** Posts a form, as clients do. */
export function post(
  { service }: Pick<OAuthFixture, 'service'>,
  path: string,
  parameters: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return service.send('POST', path, {
    body: encode(parameters),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

/** Returns the client’s credentials for a body. */
export function own({ id, secret }: TestClient): Record<string, string> {
  return { client_id: id, ...(secret !== undefined && { client_secret: secret }) }
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** Returns whether an access token works. */
export async function opens({ service }: Pick<OAuthFixture, 'service'>, token: string): Promise<boolean> {
  return (await service.send('GET', '/api/v1/me/', { token })).status === 200
}

function encode(parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return String(new URLSearchParams(given))
}
