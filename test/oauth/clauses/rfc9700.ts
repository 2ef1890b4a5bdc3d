import { isAllowedRedirectUri } from '@earshot/server'
import { expect } from 'vitest'
import { openBrowser } from '../../support/browser.ts'
import { authorizePath, codeGrant, getCode, getTokens, makeClient, opens, own, post } from '../../support/oauth.ts'
import { type Clause, exchange, metadataOf, OF_CLIENTS, openPath, TLS } from './clause.ts'

const LOOPBACK = 'http://127.0.0.1/callback'

/** RFC 9700, Best Current Practice for OAuth 2.0 Security, §§2 and 4. */
export const rfc9700: readonly Clause[] = [
  {
    clause: 'RFC 9700 §§2.1, 4.1.3',
    says: 'The authorization server MUST use exact string matching of redirection URIs, but for port numbers of loopback addresses, which MUST be allowed to vary.',
    prove: async (stage) => {
      const client = await makeClient(stage.fixture, { redirectUris: [LOOPBACK, 'https://app.example/callback'] })
      const statusOf = async (uri: string) => (await openPath(stage, authorizePath(client, { redirect_uri: uri }))).status
      expect(await statusOf('http://127.0.0.1:54321/callback')).toBe(200)
      expect(await statusOf('http://127.0.0.1:54321/callback/')).toBe(400)
      expect(await statusOf('https://app.example:8443/callback')).toBe(400)
      expect(await statusOf('https://app.example/callback?x')).toBe(400)
    },
  },
  {
    clause: 'RFC 9700 §2.1',
    says: 'Clients and authorization servers MUST NOT expose URLs that forward the browser to arbitrary URIs.',
    prove: async (stage) => {
      expect((await openPath(stage, authorizePath(stage.client, { redirect_uri: 'https://evil.example/' }))).location).toBe(null)
      expect((await openPath(stage, '/accounts/sign-in/?next=https://evil.example/')).location).toBe(null)
    },
  },
  {
    clause: 'RFC 9700 §§2.1, 4.12',
    says: 'A server that redirects a request that may hold credentials MUST NOT use 307, and MUST NOT forward them.',
    prove: async (stage) => {
      await openPath(stage, authorizePath(stage.client))
      await stage.fixture.browser.press('allow')
      expect(stage.fixture.browser.page().status).toBe(303)
    },
  },
  { clause: 'RFC 9700 §§2.1, 4.7', says: 'Clients MUST prevent CSRF.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 9700 §§2.1, 4.4',
    says: 'Clients of several servers MUST defend against mix-up: the server says who it is, in iss.',
    prove: async (stage) => {
      const metadata = await metadataOf(stage)
      expect(metadata).toMatchObject({ issuer: stage.fixture.service.url, authorization_response_iss_parameter_supported: true })
      await openPath(stage, authorizePath(stage.client))
      expect(new URL((await stage.fixture.browser.press('allow')) ?? '').searchParams.get('iss')).toBe(metadata.issuer)
    },
  },
  {
    clause: 'RFC 9700 §§2.1.1, 4.5.3',
    says: 'Public clients MUST use PKCE, with challenges of their own for each transaction.',
    notHere: OF_CLIENTS,
  },
  {
    clause: 'RFC 9700 §2.1.1',
    says: 'Authorization servers MUST support PKCE, and MUST enforce the verifier of a challenge that was sent.',
    prove: async (stage) => {
      expect((await exchange(stage, stage.client)).status).toBe(200)
      expect((await exchange(stage, stage.client, { code_verifier: undefined })).status).toBe(400)
      expect((await exchange(stage, stage.confidential, { code_verifier: undefined })).status).toBe(400)
    },
  },
  {
    clause: 'RFC 9700 §§2.1.1, 4.8.2',
    says: 'The server MUST mitigate PKCE downgrade: a verifier counts only where there was a challenge, which here there always is.',
    prove: async (stage) => {
      const none = { code_challenge: undefined, code_challenge_method: undefined }
      for (const client of [stage.client, stage.confidential]) {
        expect((await openPath(stage, authorizePath(client, none))).answer.get('error')).toBe('invalid_request')
      }
    },
  },
  {
    clause: 'RFC 9700 §2.1.1',
    says: 'Authorization servers MUST provide a way to detect their support for PKCE.',
    prove: async (stage) => expect((await metadataOf(stage)).code_challenge_methods_supported).toEqual(['S256']),
  },
  {
    clause: 'RFC 9700 §§2.2.2, 4.14.2',
    says: 'Refresh tokens of public clients MUST be sender-constrained or rotated, so that replay is detected.',
    prove: async ({ fixture, client }) => {
      const first = await getTokens(fixture, client)
      const refresh = () => post(fixture, '/o/token/', { ...own(client), grant_type: 'refresh_token', refresh_token: first.refresh_token })
      const second = await refresh()
      expect(second.body.refresh_token).not.toBe(first.refresh_token)
      expect((await refresh()).status).toBe(400)
      expect(await opens(fixture, second.body.access_token)).toBe(false)
    },
  },
  {
    clause: 'RFC 9700 §2.3',
    says: 'The resource server MUST refuse to serve a request for which the access token was not meant.',
    prove: async ({ fixture, client }) => {
      const { access_token } = await getTokens(fixture, client)
      const refused = await fixture.service.send('GET', `/api/v1/teams/${fixture.team.id}/webhooks/`, { token: access_token })
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        403,
        'Bearer error="insufficient_scope", scope="read:webhooks"',
      ])
    },
  },
  {
    clause: 'RFC 9700 §2.4',
    says: 'The resource owner password credentials grant MUST NOT be used.',
    prove: async ({ fixture, client }) => {
      const answer = await post(fixture, '/o/token/', { ...own(client), grant_type: 'password', username: 'a', password: 'b' })
      expect(answer.body.error).toBe('unsupported_grant_type')
    },
  },
  {
    clause: 'RFC 9700 §2.6',
    says: 'The server MUST NOT allow redirection URIs of the http scheme, except for native clients on loopback.',
    prove: async () => {
      expect(['http://app.example/callback', 'http://10.0.0.1/callback'].map(isAllowedRedirectUri)).toEqual([false, false])
      expect(isAllowedRedirectUri(LOOPBACK)).toBe(true)
    },
  },
  {
    clause: 'RFC 9700 §2.6',
    says: 'The authorization server MUST NOT support CORS at the authorization endpoint.',
    prove: async ({ fixture, client }) => {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET', cookie: fixture.browser.cookie() }
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await fixture.service.send(method, authorizePath(client), { headers })
        expect(answer.headers.get('access-control-allow-origin'), method).toBe(null)
      }
    },
  },
  { clause: 'RFC 9700 §2.6', says: 'Authorization responses MUST NOT be transmitted over unencrypted connections.', notHere: TLS },
  { clause: 'RFC 9700 §4.1.3', says: 'Servers of callbacks MUST NOT expose open redirectors.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 9700 §4.2.4',
    says: 'The authorization code MUST be invalidated after its first use, and the page that leads to it tells no other site.',
    prove: async (stage) => {
      const { fixture, client } = stage
      const code = codeGrant(await getCode(fixture, client))
      expect(fixture.browser.page().headers.get('referrer-policy')).toBe('no-referrer')
      await post(fixture, '/o/token/', { ...own(client), ...code })
      expect((await post(fixture, '/o/token/', { ...own(client), ...code })).body.error).toBe('invalid_grant')
    },
  },
  {
    clause: 'RFC 9700 §4.3.2',
    says: 'Clients MUST NOT pass access tokens in a URI query parameter: here it is refused.',
    prove: async ({ fixture, client }) => {
      const { access_token } = await getTokens(fixture, client)
      expect((await fixture.service.send('GET', `/api/v1/me/?access_token=${access_token}`)).status).toBe(401)
    },
  },
  { clause: 'RFC 9700 §§4.5.3, 4.6', says: 'Nonces, states and token responses MUST be bound to the user agent.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 9700 §4.9.3',
    says: 'Resource servers MUST treat access tokens like other credentials, and not store them in plaintext.',
    prove: async ({ fixture, client }) => {
      const { access_token } = await getTokens(fixture, client)
      const rows = await fixture.service.database.run<{ row: string }>('select a::text as row from access_tokens a', [])
      expect(rows.length).toBeGreaterThan(0)
      for (const { row } of rows) expect(row.includes(access_token) || row.includes(Buffer.from(access_token).toString('hex'))).toBe(false)
    },
  },
  {
    clause: 'RFC 9700 §4.11.2',
    says: 'The server MUST always authenticate the user first, before redirecting: an error, too, is told to the client only then.',
    prove: async ({ fixture, client }) => {
      const stranger = openBrowser(fixture.service)
      await stranger.open(authorizePath(client, { scope: 'nonsense' }))
      expect(stranger.page().body).toContain('type="password"')
    },
  },
  { clause: 'RFC 9700 §4.11.1', says: 'Clients MUST NOT expose open redirectors.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 9700 §4.13',
    says: 'A reverse proxy MUST sanitize headers that it adds.',
    notHere: 'a duty of the proxy; EARSHOT_TRUST_PROXY says which hops are believed',
  },
  {
    clause: 'RFC 9700 §4.14.2',
    says: 'Refresh tokens MUST be bound to the scope that the person consented to.',
    prove: async ({ fixture, client }) => {
      const { refresh_token } = await getTokens(fixture, client)
      const wide = { grant_type: 'refresh_token', refresh_token, scope: 'write:webhooks' }
      expect((await post(fixture, '/o/token/', { ...own(client), ...wide })).body.error).toBe('invalid_scope')
    },
  },
  {
    clause: 'RFC 9700 §4.16',
    says: 'Authorization servers MUST prevent clickjacking attacks.',
    prove: async (stage) => {
      for (const path of [authorizePath(stage.client), '/o/device/']) {
        const { headers } = await openPath(stage, path)
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        expect(headers.get('x-frame-options')).toBe('DENY')
      }
    },
  },
  {
    clause: 'RFC 9700 §4.17',
    says: 'Whatever is asked of responses by postMessage.',
    notHere: 'responses are redirects alone (response_modes_supported: query), and the pages have no script',
  },
]
