import * as oauth4webapi from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CALLBACK, makeClient, type OAuthFixture, opens, startOAuthFixture, type TestClient } from '../support/oauth.ts'

const INSECURE = { [oauth4webapi.allowInsecureRequests]: true }

let fixture: OAuthFixture
beforeAll(async () => {
  fixture = await startOAuthFixture()
})
afterAll(() => fixture.service.close())

describe.each([
  { kind: 'public', confidential: false },
  { kind: 'confidential', confidential: true },
])('a $kind client', ({ confidential }) => {
  let client: TestClient
  beforeAll(async () => {
    client = await makeClient(fixture, { confidential, redirectUris: [CALLBACK] })
  })

  test('of openid-client gets tokens by code, refreshes and revokes them', async () => {
    const config = await discover(client)
    const verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'read:profile read:projects',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    })
    await fixture.browser.open(url.pathname + url.search)
    const answer = new URL((await fixture.browser.press('allow')) ?? '')
    const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier, expectedState: state })
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read:profile read:projects' })
    expect(await opens(fixture, tokens.access_token)).toBe(true)

    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect(await opens(fixture, next.access_token)).toBe(true)
    if (confidential)
      expect(await openid.tokenIntrospection(config, next.access_token)).toMatchObject({ active: true, client_id: client.id })
    await openid.tokenRevocation(config, next.refresh_token ?? '')
    expect(await opens(fixture, next.access_token)).toBe(false)
  })

  test('of openid-client gets tokens for a device', async () => {
    const config = await discover(client)
    const device = await openid.initiateDeviceAuthorization(config, { scope: 'read:profile' })
    await fixture.browser.open(String(device.verification_uri_complete))
    expect(fixture.browser.page().body).toContain(device.user_code)
    await fixture.browser.press('allow')
    const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 })
    expect(tokens).toMatchObject({ expires_in: 3600, scope: 'read:profile' })
    expect(await opens(fixture, tokens.access_token)).toBe(true)
  })

  test('of oauth4webapi gets tokens by code, refreshes and revokes them', async () => {
    const { server, oauthClient, authentication } = await prepare(client)
    const verifier = oauth4webapi.generateRandomCodeVerifier()
    const state = oauth4webapi.generateRandomState()
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = String(
      new URLSearchParams({
        client_id: client.id,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'read:profile',
        code_challenge: await oauth4webapi.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      }),
    )
    await fixture.browser.open(url.pathname + url.search)
    const answer = new URL((await fixture.browser.press('allow')) ?? '')
    const parameters = oauth4webapi.validateAuthResponse(server, oauthClient, answer, state)
    const tokens = await oauth4webapi.processAuthorizationCodeResponse(
      server,
      oauthClient,
      await oauth4webapi.authorizationCodeGrantRequest(server, oauthClient, authentication, parameters, CALLBACK, verifier, INSECURE),
    )
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read:profile' })
    const refreshed = await oauth4webapi.refreshTokenGrantRequest(server, oauthClient, authentication, tokens.refresh_token ?? '', INSECURE)
    const next = await oauth4webapi.processRefreshTokenResponse(server, oauthClient, refreshed)
    expect(await opens(fixture, next.access_token)).toBe(true)
    if (confidential) {
      const inspected = await oauth4webapi.introspectionRequest(server, oauthClient, authentication, tokens.refresh_token ?? '', INSECURE)
      expect(await oauth4webapi.processIntrospectionResponse(server, oauthClient, inspected)).toEqual({ active: false })
    }
    const revoked = await oauth4webapi.revocationRequest(server, oauthClient, authentication, next.access_token, INSECURE)
    await oauth4webapi.processRevocationResponse(revoked)
    expect(await opens(fixture, next.access_token)).toBe(false)
    expect(await opens(fixture, tokens.access_token)).toBe(true)
  })

  test('of oauth4webapi waits for a device', async () => {
    const { server, oauthClient, authentication } = await prepare(client)
    const device = await oauth4webapi.processDeviceAuthorizationResponse(
      server,
      oauthClient,
      await oauth4webapi.deviceAuthorizationRequest(server, oauthClient, authentication, { scope: 'read:profile' }, INSECURE),
    )
    const poll = async () =>
      oauth4webapi.processDeviceCodeResponse(
        server,
        oauthClient,
        await oauth4webapi.deviceCodeGrantRequest(server, oauthClient, authentication, device.device_code, INSECURE),
      )
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 })
    await fixture.browser.open('/o/device/')
    await fixture.browser.type({ user_code: device.user_code.toLowerCase().replace('-', ' ') })
    await fixture.browser.press('allow')
    expect(await poll()).toMatchObject({ token_type: 'bearer', scope: 'read:profile' })
  })
})

async function discover(client: TestClient): Promise<openid.Configuration> {
  const options = { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' as const }
  return openid.discovery(new URL(fixture.service.url), client.id, undefined, openidAuthentication(client), options)
}

function openidAuthentication({ secret }: TestClient) {
  return secret === undefined ? openid.None() : openid.ClientSecretBasic(secret)
}

async function prepare({ id, secret }: TestClient) {
  const issuer = new URL(fixture.service.url)
  const found = await oauth4webapi.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE })
  return {
    server: await oauth4webapi.processDiscoveryResponse(issuer, found),
    oauthClient: { client_id: id },
    authentication: secret === undefined ? oauth4webapi.None() : oauth4webapi.ClientSecretPost(secret),
  }
}
