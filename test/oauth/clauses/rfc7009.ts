import { expect } from 'vitest'
import { getTokens, opens, own, post, type TestClient } from '../../support/oauth.ts'
import { type Clause, metadataOf, OF_CLIENTS, type Stage, TLS } from './clause.ts'

/** RFC 7009, Token Revocation. */
export const rfc7009: readonly Clause[] = [
  {
    clause: 'RFC 7009 §2',
    says: 'Implementations MUST support the revocation of refresh tokens (and SHOULD that of access tokens).',
    prove: async (stage) => {
      const { fixture, client } = stage
      const tokens = await getTokens(fixture, client)
      expect((await revoke(stage, client, { token: tokens.refresh_token })).status).toBe(200)
      expect(await opens(fixture, tokens.access_token)).toBe(false)
      const others = await getTokens(fixture, client)
      expect((await revoke(stage, client, { token: others.access_token })).status).toBe(200)
      expect(await opens(fixture, others.access_token)).toBe(false)
    },
  },
  { clause: 'RFC 7009 §2', says: 'The endpoint MUST be an HTTPS URL, and requests MUST use TLS.', notHere: TLS },
  { clause: 'RFC 7009 §2', says: 'The client MUST verify that the URL is trustworthy.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 7009 §2.1',
    says: 'The server first validates the client’s credentials, and then that the token was issued to it.',
    prove: async (stage) => {
      const { fixture, client, confidential } = stage
      const { access_token } = await getTokens(fixture, confidential)
      expect((await post(fixture, '/o/revoke/', { client_id: confidential.id, token: access_token })).body.error).toBe('invalid_client')
      // Another's token looks like none at all: an error of its own would tell that there is one.
      expect((await revoke(stage, client, { token: access_token })).status).toBe(200)
      expect(await opens(fixture, access_token)).toBe(true)
    },
  },
  {
    clause: 'RFC 7009 §2.1',
    says: 'token is REQUIRED.',
    prove: async (stage) => expect((await revoke(stage, stage.client, {})).body.error).toBe('invalid_request'),
  },
  {
    clause: 'RFC 7009 §2.1',
    says: 'If the server cannot find the token by the hint, it MUST extend its search to all of its token types.',
    prove: async (stage) => {
      const { fixture, client } = stage
      for (const hint of ['refresh_token', 'nonsense']) {
        const { access_token } = await getTokens(fixture, client)
        expect((await revoke(stage, client, { token: access_token, token_type_hint: hint })).status).toBe(200)
        expect(await opens(fixture, access_token)).toBe(false)
      }
    },
  },
  {
    clause: 'RFC 7009 §2.1',
    says: 'The token cannot be used again after the revocation, which takes place immediately.',
    prove: async (stage) => {
      const { fixture, client } = stage
      const { refresh_token } = await getTokens(fixture, client)
      await revoke(stage, client, { token: refresh_token })
      const again = await post(fixture, '/o/token/', { ...own(client), grant_type: 'refresh_token', refresh_token })
      expect(again.body.error).toBe('invalid_grant')
    },
  },
  {
    clause: 'RFC 7009 §2.2',
    says: 'The server answers 200 to an invalid token too: what the client wanted is so already.',
    prove: async (stage) => expect((await revoke(stage, stage.client, { token: 'nothing' })).status).toBe(200),
  },
  { clause: 'RFC 7009 §2.2.1', says: 'After a 503 the client must assume that the token still exists.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 7009 §5',
    says: 'The server must keep off those who guess tokens: clients name themselves, and tries are counted.',
    prove: async (stage) => {
      expect((await post(stage.fixture, '/o/revoke/', { token: 'x' })).status).toBe(401)
      expect((await revoke(stage, stage.client, { token: 'x' })).headers.get('ratelimit-policy')).toContain('unauthenticated')
      expect((await metadataOf(stage)).revocation_endpoint).toBe(`${stage.fixture.service.url}/o/revoke/`)
    },
  },
]

const revoke = ({ fixture }: Stage, client: TestClient, parameters: Record<string, string>) =>
  post(fixture, '/o/revoke/', { ...own(client), ...parameters })
