import { codeGrant, getCode, type OAuthFixture, own, post, type TestClient } from '../../support/oauth.ts'

/** The fixture of the clauses' tests, with a public and a confidential client. */
export interface Stage {
  fixture: OAuthFixture
  client: TestClient
  confidential: TestClient
}

/** A clause with MUST or MUST NOT, with its test or the reason why it does not apply. */
export type Clause = { clause: string; says: string } & ({ prove: (stage: Stage) => Promise<void> } | { notHere: string })

/** Opens a path in the browser and returns the page. */
export async function openPath({ fixture }: Stage, path: string) {
  await fixture.browser.open(path)
  const { status, headers, body } = fixture.browser.page()
  const location = headers.get('location')
  return { status, body: String(body), headers, location, answer: new URL(location ?? 'about:blank').searchParams }
}

/** Exchanges a new code of the client, with changes. */
export async function exchange({ fixture }: Stage, client: TestClient, changes: Record<string, string | undefined> = {}) {
  return post(fixture, '/o/token/', { ...own(client), ...codeGrant(await getCode(fixture, client)), ...changes })
}

export async function metadataOf({ fixture }: Stage): Promise<Record<string, unknown>> {
  return (await fixture.service.send('GET', '/.well-known/oauth-authorization-server')).body
}

/** Endpoints of clients, which take forms. */
export const ENDPOINTS = ['/o/token/', '/o/device-authorization/', '/o/revoke/', '/o/introspect/']

export const TLS = 'TLS ends before this service: EARSHOT_BASE_URL is https where it is not on one machine, and cookies are secure then'
export const OF_CLIENTS = 'a duty of clients'
