import { expect } from 'vitest'
import { openBrowser } from '../../support/browser.ts'
import { authorizePath, CALLBACK, codeGrant, getCode, makeClient, own, post } from '../../support/oauth.ts'
import { type Clause, exchange, metadataOf, OF_CLIENTS, openPath, TLS } from './clause.ts'

/** RFC 6749, The OAuth 2.0 Authorization Framework: what concerns the authorization endpoint. */
export const rfc6749Authorize: readonly Clause[] = [
  {
    clause: 'RFC 6749 §3.1',
    says: 'The authorization server MUST first verify the identity of the resource owner.',
    prove: async ({ fixture, client }) => {
      const stranger = openBrowser(fixture.service)
      await stranger.open(authorizePath(client))
      expect(stranger.page().body).toContain('type="password"')
    },
  },
  {
    clause: 'RFC 6749 §§3.1, 3.2',
    says: 'The endpoint URI MUST NOT include a fragment component.',
    prove: async (stage) => {
      for (const value of Object.values(await metadataOf(stage))) expect(String(value)).not.toContain('#')
    },
  },
  { clause: 'RFC 6749 §§3.1, 3.2', says: 'The authorization server MUST require the use of TLS.', notHere: TLS },
  {
    clause: 'RFC 6749 §3.1',
    says: 'The authorization server MUST support the use of the HTTP GET method for the authorization endpoint.',
    prove: async (stage) => expect((await openPath(stage, authorizePath(stage.client))).status).toBe(200),
  },
  {
    clause: 'RFC 6749 §3.1',
    says: 'Parameters sent without a value MUST be treated as if they were omitted from the request.',
    prove: async (stage) => {
      expect((await openPath(stage, authorizePath(stage.client, { scope: '' }))).body).toContain('read:projects')
      expect((await openPath(stage, authorizePath(stage.client, { code_challenge: '' }))).answer.get('error')).toBe('invalid_request')
    },
  },
  {
    clause: 'RFC 6749 §3.1',
    says: 'The authorization server MUST ignore unrecognized request parameters.',
    prove: async (stage) => expect((await openPath(stage, authorizePath(stage.client, { nonce: 'x', audience: 'y' }))).status).toBe(200),
  },
  {
    clause: 'RFC 6749 §3.1',
    says: 'Request and response parameters MUST NOT be included more than once.',
    prove: async (stage) => {
      expect((await openPath(stage, `${authorizePath(stage.client)}&response_type=code`)).answer.get('error')).toBe('invalid_request')
      await openPath(stage, authorizePath(stage.client))
      const names = [...new URL((await stage.fixture.browser.press('allow')) ?? '').searchParams.keys()]
      expect(names).toEqual([...new Set(names)])
    },
  },
  {
    clause: 'RFC 6749 §3.1.1',
    says: 'If response_type is missing, or is not understood, the authorization server MUST return an error response.',
    prove: async (stage) => {
      const errorOf = async (type: string | undefined) =>
        (await openPath(stage, authorizePath(stage.client, { response_type: type }))).answer.get('error')
      expect([await errorOf(undefined), await errorOf('token'), await errorOf('id_token')]).toEqual([
        'invalid_request',
        'unsupported_response_type',
        'unsupported_response_type',
      ])
    },
  },
  {
    clause: 'RFC 6749 §3.1.2',
    says: 'The redirection endpoint URI MUST be an absolute URI and MUST NOT include a fragment component.',
    prove: async (stage) => {
      for (const uri of ['/callback', `${CALLBACK}#x`]) {
        const odd = await makeClient(stage.fixture, { redirectUris: [uri] })
        expect((await openPath(stage, authorizePath(odd, { redirect_uri: uri }))).status).toBe(400)
      }
    },
  },
  {
    clause: 'RFC 6749 §3.1.2',
    says: 'The query component of a redirection endpoint URI MUST be retained when adding query parameters.',
    prove: async (stage) => {
      const uri = `${CALLBACK}?tenant=1&x=%2f`
      const client = await makeClient(stage.fixture, { redirectUris: [uri] })
      await openPath(stage, authorizePath(client, { redirect_uri: uri }))
      expect(await stage.fixture.browser.press('deny')).toMatch(`${uri}&error=access_denied`)
    },
  },
  {
    clause: 'RFC 6749 §3.1.2.2',
    says: 'The authorization server MUST require public clients to register their redirection endpoint.',
    prove: async (stage) => {
      const client = await makeClient(stage.fixture, { redirectUris: [] })
      expect(await openPath(stage, authorizePath(client))).toMatchObject({ status: 400, location: null })
    },
  },
  {
    clause: 'RFC 6749 §3.1.2.3',
    says: 'With a redirection URI in the request the authorization server MUST compare it with those registered, a full one by simple string comparison.',
    prove: async (stage) =>
      expect(await openPath(stage, authorizePath(stage.client, { redirect_uri: `${CALLBACK}/` }))).toMatchObject({
        status: 400,
        location: null,
      }),
  },
  {
    clause: 'RFC 6749 §3.1.2.3',
    says: 'If several redirection URIs, or only a part of one, were registered, the client MUST include one with the request.',
    prove: async (stage) => expect((await openPath(stage, authorizePath(stage.client, { redirect_uri: undefined }))).status).toBe(400),
  },
  {
    clause: 'RFC 6749 §§3.1.2.4, 4.1.2.1',
    says: 'The authorization server MUST NOT automatically redirect the user-agent to an invalid redirection URI.',
    prove: async (stage) => {
      for (const changes of [{ redirect_uri: 'https://evil.example/' }, { client_id: 'nobody' }, { redirect_uri: 'javascript:alert(1)' }]) {
        expect(await openPath(stage, authorizePath(stage.client, changes))).toMatchObject({ status: 400, location: null })
      }
    },
  },
  {
    clause: 'RFC 6749 §3.1.2.5',
    says: 'Scripts of the redirection endpoint MUST NOT read the answer before the client does.',
    notHere: OF_CLIENTS,
  },
  {
    clause: 'RFC 6749 §3.3',
    says: 'If the issued scope is different from the one requested, the authorization server MUST include the scope parameter.',
    prove: async (stage) => expect((await exchange(stage, stage.client)).body.scope).toBe('read:profile read:projects write:projects'),
  },
  {
    clause: 'RFC 6749 §3.3',
    says: 'If the client omits the scope, the authorization server MUST use a default or fail.',
    prove: async (stage) => expect((await openPath(stage, authorizePath(stage.client))).body).toContain('<code>write:projects</code>'),
  },
  {
    clause: 'RFC 6749 §4.1.2',
    says: 'The authorization code MUST expire shortly after it is issued.',
    prove: async ({ fixture, client }) => {
      const code = await getCode(fixture, client)
      await fixture.service.database.run("update authorization_codes set expires_at = expires_at - interval '60 seconds'", [])
      const answer = await post(fixture, '/o/token/', { ...own(client), ...codeGrant(code) })
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    },
  },
  {
    clause: 'RFC 6749 §4.1.2',
    says: 'If an authorization code is used more than once, the authorization server MUST deny the request.',
    prove: async ({ fixture, client }) => {
      const code = codeGrant(await getCode(fixture, client))
      const uses = [
        await post(fixture, '/o/token/', { ...own(client), ...code }),
        await post(fixture, '/o/token/', { ...own(client), ...code }),
      ]
      expect(uses.map(({ status }) => status)).toEqual([200, 400])
    },
  },
  {
    clause: 'RFC 6749 §§4.1.2, 4.1.2.1',
    says: 'state is REQUIRED if it was in the request: the exact value received from the client.',
    prove: async (stage) => {
      const state = ' ~!@#$%^&*()_+`-={}[]|\\:";<>?,./ä'.slice(0, -1)
      expect((await openPath(stage, authorizePath(stage.client, { state, scope: 'x' }))).answer.get('state')).toBe(state)
      await openPath(stage, authorizePath(stage.client, { state }))
      expect(new URL((await stage.fixture.browser.press('allow')) ?? '').searchParams.get('state')).toBe(state)
    },
  },
  {
    clause: 'RFC 6749 §§4.1.2, 4.1.2.1',
    says: 'The client MUST ignore unrecognized response parameters, and MUST NOT use a code more than once.',
    notHere: OF_CLIENTS,
  },
  {
    clause: 'RFC 6749 §4.2',
    says: 'Whatever the implicit grant asks of authorization servers.',
    prove: async (stage) => {
      expect((await metadataOf(stage)).response_types_supported).toEqual(['code'])
      const { answer } = await openPath(stage, authorizePath(stage.client, { response_type: 'token' }))
      expect(answer.get('error')).toBe('unsupported_response_type')
    },
  },
]
