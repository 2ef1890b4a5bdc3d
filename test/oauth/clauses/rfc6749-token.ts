import { expect } from 'vitest'
import { basic, codeGrant, getCode, getTokens, own, post } from '../../support/oauth.ts'
import { type Clause, ENDPOINTS, exchange, OF_CLIENTS } from './clause.ts'

const REFRESH = { grant_type: 'refresh_token', refresh_token: 'x' }

/** RFC 6749: what concerns the token endpoint. */
export const rfc6749Token: readonly Clause[] = [
  {
    clause: 'RFC 6749 §3.2',
    says: 'The client MUST use the HTTP POST method when making access token requests.',
    prove: async ({ fixture }) => expect((await fixture.service.send('GET', '/o/token/')).status).toBe(405),
  },
  {
    clause: 'RFC 6749 §3.2',
    says: 'Parameters sent without a value MUST be treated as if they were omitted from the request.',
    prove: async (stage) => {
      expect((await exchange(stage, stage.client, { client_secret: '', scope: '' })).status).toBe(200)
      expect((await exchange(stage, stage.client, { code_verifier: '' })).body.error).toBe('invalid_request')
    },
  },
  {
    clause: 'RFC 6749 §3.2',
    says: 'The authorization server MUST ignore unrecognized request parameters.',
    prove: async (stage) => expect((await exchange(stage, stage.client, { audience: 'x' })).status).toBe(200),
  },
  {
    clause: 'RFC 6749 §3.2',
    says: 'Request and response parameters MUST NOT be included more than once.',
    prove: async ({ fixture }) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const path of ENDPOINTS) {
        const answer = await fixture.service.send('POST', path, { headers, body: 'client_id=a&client_id=a' })
        expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
      }
    },
  },
  {
    clause: 'RFC 6749 §§2.3, 3.2.1, 4.1.3, 6',
    says: 'Confidential clients MUST authenticate with the authorization server, in one way per request.',
    prove: async (stage) => {
      const { fixture, confidential } = stage
      for (const grant of [codeGrant(await getCode(fixture, confidential)), REFRESH]) {
        expect((await post(fixture, '/o/token/', { client_id: confidential.id, ...grant })).status).toBe(401)
      }
      const both = await post(fixture, '/o/token/', { ...own(confidential), ...REFRESH }, basic(confidential.id, confidential.secret ?? ''))
      expect(both.body.error).toBe('invalid_request')
      expect((await exchange(stage, confidential)).status).toBe(200)
    },
  },
  {
    clause: 'RFC 6749 §§3.2.1, 4.1.3',
    says: 'An unauthenticated client MUST send its client_id.',
    prove: async (stage) => expect((await exchange(stage, stage.client, { client_id: undefined })).status).toBe(401),
  },
  {
    clause: 'RFC 6749 §4.1.3',
    says: 'The authorization server MUST ensure that the code was issued to the client that asks.',
    prove: async ({ fixture, client, confidential }) => {
      const code = codeGrant(await getCode(fixture, confidential))
      expect((await post(fixture, '/o/token/', { ...own(client), ...code })).body.error).toBe('invalid_grant')
    },
  },
  {
    clause: 'RFC 6749 §4.1.3',
    says: 'The authorization server MUST verify that the code is valid.',
    prove: async (stage) => expect((await exchange(stage, stage.client, { code: 'x'.repeat(43) })).body.error).toBe('invalid_grant'),
  },
  {
    clause: 'RFC 6749 §4.1.3',
    says: 'The authorization server MUST ensure that redirect_uri is present if it was in the request, and identical.',
    prove: async (stage) => {
      expect((await exchange(stage, stage.client, { redirect_uri: undefined })).body.error).toBe('invalid_request')
      expect((await exchange(stage, stage.client, { redirect_uri: 'https://app.example/Callback' })).body.error).toBe('invalid_grant')
    },
  },
  {
    clause: 'RFC 6749 §§4.3, 4.4',
    says: 'Whatever the grants of passwords and of clients themselves ask of authorization servers.',
    prove: async ({ fixture, confidential }) => {
      for (const grant_type of ['password', 'client_credentials']) {
        const answer = await post(fixture, '/o/token/', { ...own(confidential), grant_type, username: 'a', password: 'b' })
        expect(answer).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } })
      }
    },
  },
  {
    clause: 'RFC 6749 §§5.1, 5.2',
    says: 'The authorization server MUST include Cache-Control: no-store and Pragma: no-cache where tokens are.',
    prove: async (stage) => {
      for (const { headers } of [await exchange(stage, stage.client), await exchange(stage, stage.client, { code: 'x' })]) {
        expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
      }
    },
  },
  {
    clause: 'RFC 6749 §5.1',
    says: 'access_token and token_type are REQUIRED, at the top of a JSON object; numbers are numbers.',
    prove: async (stage) => {
      const { headers, body } = await exchange(stage, stage.client)
      expect(headers.get('content-type')).toContain('application/json')
      expect(body).toEqual({
        access_token: expect.stringMatching(/^sva_/),
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: expect.stringMatching(/^svr_/),
        scope: 'read:profile read:projects write:projects',
      })
    },
  },
  { clause: 'RFC 6749 §5.1', says: 'The client MUST ignore unrecognized value names in the response.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 6749 §5.2',
    says: 'If the client tried by the Authorization header, the server MUST answer 401 with a WWW-Authenticate of that scheme.',
    prove: async ({ fixture, confidential }) => {
      const { status, headers, body } = await post(fixture, '/o/token/', REFRESH, basic(confidential.id, 'wrong'))
      expect([status, body.error, headers.get('www-authenticate')?.split(' ')[0]]).toEqual([401, 'invalid_client', 'Basic'])
    },
  },
  {
    clause: 'RFC 6749 §5.2',
    says: 'Values of error_description MUST NOT include characters outside %x20-21 / %x23-5B / %x5D-7E.',
    prove: async ({ fixture, client }) => {
      for (const answer of [
        await post(fixture, '/o/token/', { ...own(client), grant_type: 'refresh_token' }),
        await post(fixture, '/o/token/', { grant_type: '"\\' }),
        await fixture.service.send('POST', '/o/token/', { body: 'x', headers: { 'content-type': 'text/plain' } }),
        await fixture.service.send('POST', '/o/token/', { body: '{' }),
      ]) {
        expect(answer.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      }
    },
  },
  {
    clause: 'RFC 6749 §6',
    says: 'The scope of a refresh MUST NOT include any that was not originally granted.',
    prove: async ({ fixture, client }) => {
      const { refresh_token } = await getTokens(fixture, client)
      const wide = await post(fixture, '/o/token/', { ...own(client), ...REFRESH, refresh_token, scope: 'read:profile write:privacy' })
      expect(wide).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    },
  },
  {
    clause: 'RFC 6749 §6',
    says: 'The authorization server MUST ensure that the refresh token was issued to the client that asks, and validate it.',
    prove: async ({ fixture, client, confidential }) => {
      const { refresh_token } = await getTokens(fixture, confidential)
      expect((await post(fixture, '/o/token/', { ...own(client), ...REFRESH, refresh_token })).body.error).toBe('invalid_grant')
      expect((await post(fixture, '/o/token/', { ...own(client), ...REFRESH })).body.error).toBe('invalid_grant')
    },
  },
  {
    clause: 'RFC 6749 §6',
    says: 'The scope of a new refresh token MUST be identical to that of the one in the request.',
    prove: async ({ fixture, client }) => {
      const { refresh_token } = await getTokens(fixture, client)
      const narrow = await post(fixture, '/o/token/', { ...own(client), ...REFRESH, refresh_token, scope: 'read:profile' })
      const next = await post(fixture, '/o/token/', { ...own(client), ...REFRESH, refresh_token: narrow.body.refresh_token })
      expect([narrow.body.scope, next.body.scope]).toEqual(['read:profile', 'read:profile read:projects write:projects'])
    },
  },
  { clause: 'RFC 6749 §6', says: 'The client MUST discard the old refresh token and replace it with the new one.', notHere: OF_CLIENTS },
]
