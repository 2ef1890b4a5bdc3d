import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { authorizePath, CALLBACK, makeVerifier, own, post } from '../../support/oauth.ts'
import { type Clause, exchange, metadataOf, OF_CLIENTS, openPath, type Stage } from './clause.ts'

/** RFC 7636, Proof Key for Code Exchange. */
export const rfc7636: readonly Clause[] = [
  {
    clause: 'RFC 7636 §§4.1, 7.1',
    says: 'The verifier has 43 to 128 characters and enough entropy to be unguessable.',
    notHere: OF_CLIENTS,
  },
  {
    clause: 'RFC 7636 §4.1',
    says: 'code-verifier = 43*128unreserved: all of these, and no others, are verifiers.',
    prove: async (stage) => {
      for (const verifier of ['-._~'.repeat(11).slice(0, 43), 'aZ09-._~'.repeat(16)]) {
        expect((await exchangeWith(stage, verifier)).status).toBe(200)
      }
      for (const verifier of ['x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)}+`]) {
        expect((await exchangeWith(stage, verifier)).body.error).toBe('invalid_grant')
      }
    },
  },
  {
    clause: 'RFC 7636 §4.2',
    says: 'S256 is Mandatory To Implement on the server.',
    prove: async (stage) => {
      expect((await metadataOf(stage)).code_challenge_methods_supported).toEqual(['S256'])
      expect((await exchange(stage, stage.client)).status).toBe(200)
    },
  },
  { clause: 'RFC 7636 §§4.2, 7.2', says: 'A client that can use S256 MUST use it, and MUST NOT downgrade to plain.', notHere: OF_CLIENTS },
  {
    clause: 'RFC 7636 §4.4',
    says: 'The server MUST associate challenge and method with the code, so that the verifier can be verified later.',
    prove: async (stage) => {
      const { verifier } = makeVerifier()
      expect((await exchange(stage, stage.client, { code_verifier: verifier })).body.error).toBe('invalid_grant')
    },
  },
  {
    clause: 'RFC 7636 §4.4',
    says: 'The server MUST NOT include the challenge in a form that other entities can extract.',
    prove: async (stage) => {
      const { challenge } = makeVerifier()
      await openPath(stage, authorizePath(stage.client, { code_challenge: challenge }))
      expect(stage.fixture.browser.page().body).not.toContain(challenge)
      expect(await stage.fixture.browser.press('allow')).not.toContain(challenge)
    },
  },
  {
    clause: 'RFC 7636 §4.4.1',
    says: 'If the server requires PKCE and the client sends no challenge, or one of an unsupported method, it MUST return invalid_request.',
    prove: async (stage) => {
      for (const changes of [
        { code_challenge: undefined, code_challenge_method: undefined },
        { code_challenge_method: 'plain' },
        { code_challenge_method: 'S512' },
      ]) {
        expect((await openPath(stage, authorizePath(stage.client, changes))).answer.get('error')).toBe('invalid_request')
      }
    },
  },
  {
    clause: 'RFC 7636 §4.6',
    says: 'If the values are equal, the token endpoint MUST continue as normal; if not, it MUST return invalid_grant.',
    prove: async (stage) => {
      expect((await exchange(stage, stage.client)).status).toBe(200)
      // The challenge itself is no verifier.
      const { challenge } = makeVerifier()
      expect((await exchange(stage, stage.client, { code_verifier: challenge })).body.error).toBe('invalid_grant')
    },
  },
]

async function exchangeWith(stage: Stage, verifier: string) {
  const { fixture, client } = stage
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  await openPath(stage, authorizePath(client, { code_challenge: challenge }))
  const code = new URL((await fixture.browser.press('allow')) ?? '').searchParams.get('code') ?? ''
  return post(fixture, '/o/token/', {
    ...own(client),
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
  })
}
