import { DEVICE_CODE } from '@earshot/server'
import { expect } from 'vitest'
import { own, post } from '../../support/oauth.ts'
import { type Clause, metadataOf, OF_CLIENTS, type Stage, TLS } from './clause.ts'

/** RFC 8628, Device Authorization Grant. */
export const rfc8628: readonly Clause[] = [
  { clause: 'RFC 8628 §3.1', says: 'Requests MUST use TLS.', notHere: TLS },
  {
    clause: 'RFC 8628 §3.1',
    says: 'Parameters without a value MUST be treated as omitted, and unrecognized ones MUST be ignored.',
    prove: async (stage) => expect((await begin(stage, { scope: '', model: 'TV' })).status).toBe(200),
  },
  {
    clause: 'RFC 8628 §3.1',
    says: 'Request and response parameters MUST NOT be included more than once.',
    prove: async ({ fixture, client }) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const body = `client_id=${client.id}&scope=read%3Aprofile&scope=read%3Aprofile`
      const answer = await fixture.service.send('POST', '/o/device-authorization/', { headers, body })
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    },
  },
  {
    clause: 'RFC 8628 §§3.1, 3.4',
    says: 'Clients with credentials MUST authenticate, and the others say their client_id.',
    prove: async ({ fixture, confidential }) => {
      for (const [path, parameters] of [
        ['/o/device-authorization/', {}],
        ['/o/token/', { grant_type: DEVICE_CODE, device_code: 'x' }],
      ] as const) {
        expect((await post(fixture, path, { ...parameters, client_id: confidential.id })).status).toBe(401)
        expect((await post(fixture, path, parameters)).status).toBe(401)
      }
      expect((await post(fixture, '/o/device-authorization/', own(confidential))).status).toBe(200)
    },
  },
  {
    clause: 'RFC 8628 §3.2',
    says: 'device_code, user_code, verification_uri and expires_in are REQUIRED, unique and valid for a limited time.',
    prove: async (stage) => {
      const [one, two] = [await begin(stage), await begin(stage)]
      expect(one.headers.get('content-type')).toContain('application/json')
      expect(one.body).toMatchObject({
        device_code: expect.any(String),
        user_code: expect.any(String),
        verification_uri: expect.any(String),
        expires_in: 900,
      })
      expect(one.body.device_code).not.toBe(two.body.device_code)
      expect(one.body.user_code).not.toBe(two.body.user_code)
    },
  },
  {
    clause: 'RFC 8628 §§3.2, 3.5',
    says: 'Without an interval clients MUST use 5 seconds, and MUST wait it out between polls.',
    notHere: OF_CLIENTS,
  },
  {
    clause: 'RFC 8628 §3.3',
    says: 'The device MUST show the user_code and the verification_uri, the latter even beside a complete one.',
    notHere: OF_CLIENTS,
  },
  {
    clause: 'RFC 8628 §§3.3, 5.4',
    says: 'The person signs in, sees what is asked and by which code, and decides.',
    prove: async (stage) => {
      const { body } = await begin(stage)
      await stage.fixture.browser.open(body.verification_uri_complete)
      expect(stage.fixture.browser.page().body).toContain(body.user_code)
      expect((await poll(stage, body.device_code)).body.error).toBe('authorization_pending')
    },
  },
  {
    clause: 'RFC 8628 §3.4',
    says: 'grant_type MUST be urn:ietf:params:oauth:grant-type:device_code, and device_code is REQUIRED.',
    prove: async ({ fixture, client }) => {
      expect((await post(fixture, '/o/token/', { ...own(client), grant_type: DEVICE_CODE })).body.error).toBe('invalid_request')
      const short = await post(fixture, '/o/token/', { ...own(client), grant_type: 'device_code', device_code: 'x' })
      expect(short.body.error).toBe('unsupported_grant_type')
    },
  },
  {
    clause: 'RFC 8628 §3.5',
    says: 'slow_down: the interval MUST be increased by 5 seconds for this and all subsequent requests.',
    prove: async (stage) => {
      const { device_code } = (await begin(stage)).body
      await poll(stage, device_code)
      expect((await poll(stage, device_code)).body.error).toBe('slow_down')
      await shift(stage, 7)
      expect((await poll(stage, device_code)).body.error).toBe('slow_down')
      await shift(stage, 15)
      expect((await poll(stage, device_code)).body.error).toBe('authorization_pending')
      await shift(stage, 13)
      expect((await poll(stage, device_code)).body.error).toBe('slow_down')
    },
  },
  {
    clause: 'RFC 8628 §3.5',
    says: 'access_denied and expired_token say that no token will come.',
    prove: async (stage) => {
      const { body } = await begin(stage)
      await stage.fixture.browser.open(body.verification_uri_complete)
      await stage.fixture.browser.press('deny')
      expect((await poll(stage, body.device_code)).body.error).toBe('access_denied')
      const { device_code } = (await begin(stage)).body
      await stage.fixture.service.database.run('update device_codes set expires_at = now()', [])
      expect((await poll(stage, device_code)).body.error).toBe('expired_token')
    },
  },
  {
    clause: 'RFC 8628 §3.5',
    says: 'The client MUST stop polling on any other error, and back off where nobody answers.',
    notHere: OF_CLIENTS,
  },
  {
    clause: 'RFC 8628 §4',
    says: 'device_authorization_endpoint and the grant stand in the metadata.',
    prove: async (stage) => {
      const metadata = await metadataOf(stage)
      expect(metadata.device_authorization_endpoint).toBe(`${stage.fixture.service.url}/o/device-authorization/`)
      expect(metadata.grant_types_supported).toContain(DEVICE_CODE)
    },
  },
]

const begin = ({ fixture, client }: Stage, more: Record<string, string> = {}) =>
  post(fixture, '/o/device-authorization/', { ...own(client), ...more })
const poll = ({ fixture, client }: Stage, device_code: string) =>
  post(fixture, '/o/token/', { ...own(client), grant_type: DEVICE_CODE, device_code })
const shift = ({ fixture }: Stage, seconds: number) =>
  fixture.service.database.run("update device_codes set polled_at = polled_at - $1 * interval '1 second'", [seconds])
