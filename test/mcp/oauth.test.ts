import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, connect, eras, message, post as postMcp } from '../support/mcp.ts'
import {
  basic,
  CALLBACK,
  codeGrant,
  getCode,
  makeClient,
  type OAuthFixture,
  own,
  post,
  startOAuthFixture,
  type TestClient,
} from '../support/oauth.ts'

let fixture: OAuthFixture
beforeAll(async () => {
  fixture = await startOAuthFixture()
})
afterAll(() => fixture.service.close())

interface Stored {
  redirectUrl?: string
  verifier?: string
  tokens?: object
  url?: URL
}

/** Stores what the SDK's flow needs, and opens the consent page in the fixture's browser. */
function providerOf(client: TestClient, stored: Stored): OAuthClientProvider {
  const { redirectUrl = CALLBACK } = stored
  return {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], client_name: 'Agent' },
    clientInformation: () => ({ client_id: client.id }),
    tokens: () => stored.tokens as never,
    saveTokens: (tokens) => {
      stored.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      stored.url = url
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier
    },
    codeVerifier: () => stored.verifier ?? '',
  }
}

test.for<[string, Parameters<typeof makeClient>[1], string]>([
  ['that the operator registered', {}, CALLBACK],
  [
    // Its program listens on any port (RFC 8252 §7.3).
    'that is known by the address of its document',
    { clientId: 'https://agent.example/oauth/client-metadata', redirectUris: ['http://localhost/callback'] },
    'http://localhost:53682/callback',
  ],
])(
  'the official client %s finds the metadata, asks the person, and calls a tool with what it may',
  {
    timeout: 20_000,
  },
  async ([_what, fields, redirectUrl]) => {
    const { service, browser, team } = fixture
    const client = await makeClient(fixture, { scopes: ['read:profile', 'read:teams', 'read:projects'], ...fields })
    const stored: Stored = { redirectUrl }
    const transport = () => new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider: providerOf(client, stored) })
    const first = transport()
    await expect(new Client({ name: 't', version: '1' }).connect(first)).rejects.toThrow(/unauthorized/i)
    const { searchParams, pathname, search } = stored.url ?? new URL('http://none')
    // It asks for every scope of the default tools, and for the MCP server.
    expect(searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['read:submissions', 'moderate:submissions', 'read:projects']),
    )
    expect(searchParams.get('resource')).toBe(`${service.url}/mcp`)
    await browser.open(pathname + search)
    const returned = new URL((await browser.press('allow')) ?? '')
    await first.finishAuth(returned.searchParams.get('code') ?? '', returned.searchParams.get('iss') ?? '')
    expect(stored.tokens).toMatchObject({ scope: 'read:teams read:projects', token_type: 'Bearer' })

    const agent = new Client({ name: 't', version: '1' })
    await agent.connect(transport())
    const { tools } = await agent.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['me_retrieve', 'teams_list', 'projects_list'])
    const { structuredContent } = await agent.callTool({ name: 'projects_list', arguments: { team_id: team.id } })
    expect(structuredContent).toMatchObject({ results: [{ id: team.project.project_id }] })
    await agent.close()
    const [kept] = await service.database.run<{ resource: string }>('select resource from credentials where resource is not null', [])
    expect(kept?.resource).toBe(`${service.url}/mcp`)
  },
)

test('the metadata of the resources and of the authorization server name each other', async () => {
  const { service } = fixture
  const read = async (path: string) => (await service.send('GET', path)).body
  const server = await read('/.well-known/oauth-authorization-server')
  expect(server).toMatchObject({ client_id_metadata_document_supported: true, protected_resources: [service.url, `${service.url}/mcp`] })
  expect(server.registration_endpoint).toBeUndefined()
  for (const path of ['', '/mcp']) {
    const resource = await read(`/.well-known/oauth-protected-resource${path}`)
    expect(resource).toMatchObject({
      resource: service.url + path,
      authorization_servers: [service.url],
      bearer_methods_supported: ['header'],
    })
    expect(resource.scopes_supported).toEqual(server.scopes_supported)
  }
})

test('a 401 says where the metadata stand and which scopes the selected tools need', async () => {
  const { service } = fixture
  const challenge = async (options: Parameters<typeof postMcp>[2]) =>
    (await postMcp(service, message('tools/list'), options)).headers.get('www-authenticate')
  const metadata = `resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`
  expect(await challenge({})).toMatch(new RegExp(`^Bearer ${metadata}, scope="[^"]*moderate:submissions[^"]*"$`))
  expect(await challenge({ path: '/mcp/x/webhooks/read-only' })).toBe(`Bearer ${metadata}, scope="read:webhooks"`)
  expect(await challenge({ token: 'sva_wrong' })).toContain(`Bearer error="invalid_token", ${metadata}`)
  expect(await challenge({ path: '/mcp/x/nonsense' })).not.toContain(':tokens')
})

test('an application that lacks a scope is told to ask for it; a personal access token reads why', async () => {
  const { service, team } = fixture
  const client = await makeClient(fixture, { scopes: ['read:projects'] })
  const tokens = await post(fixture, '/o/token/', { ...own(client), ...codeGrant(await getCode(fixture, client)) })
  const answer = await callTool(service, 'submissions_list', team.project, { token: tokens.body.access_token })
  expect(answer).toMatchObject({
    status: 403,
    body: { error: { data: { code: 'insufficient_scope', required_scope: 'read:submissions' } } },
  })
  expect(answer.headers.get('www-authenticate')).toBe(
    `Bearer error="insufficient_scope", resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp", scope="read:submissions"`,
  )
  // Nobody can allow an application to make tokens, so there is nothing to ask for.
  const never = await callTool(service, 'me_tokens_list', {}, { token: tokens.body.access_token, headers: { 'x-mcp-toolsets': 'me' } })
  expect(never).toMatchObject({ status: 200, body: { result: { isError: true } } })
  const own_ = await callTool(service, 'submissions_list', team.project, { token: await team.tokenOf('owner', ['read:projects']) })
  expect(own_).toMatchObject({ status: 200, body: { result: { isError: true } } })
})

test.each([
  ['', ''],
  ['/', ''],
  ['/mcp', '/mcp'],
  ['/mcp/x/webhooks/read-only', '/mcp'],
])('the resource %j is kept as %j with what the person allows, and introspection shows it', async (path, kept) => {
  const { service } = fixture
  const client = await makeClient(fixture, { confidential: true })
  const code = await getCode(fixture, client, { resource: service.url + path })
  const { body } = await post(fixture, '/o/token/', { ...own(client), ...codeGrant(code), resource: service.url + path })
  const shown = await post(fixture, '/o/introspect/', { token: body.access_token }, basic(client.id, client.secret ?? ''))
  expect(shown.body).toMatchObject({ active: true, aud: service.url + kept })
})

test.each(['https://other.example/', 'http://127.0.0.1/mcp', 'mcp', 'PATH/api', 'PATH/mcpx', 'PATH/mcp?x=1'])(
  'the resource %s is no target',
  async (named) => {
    const resource = named.replace('PATH', fixture.service.url)
    const client = await makeClient(fixture)
    const answer = await post(fixture, '/o/device-authorization/', { ...own(client), resource })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
    const code = await getCode(fixture, client)
    expect(await post(fixture, '/o/token/', { ...own(client), ...codeGrant(code), resource })).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    })
    // The code was not used up by that.
    expect(await post(fixture, '/o/token/', { ...own(client), ...codeGrant(code) })).toMatchObject({ status: 200 })
  },
)

test('more scopes than the client may have are narrowed, and the token response says so', async () => {
  const client = await makeClient(fixture)
  const code = await getCode(fixture, client, { scope: 'read:profile read:projects write:privacy' })
  const { body } = await post(fixture, '/o/token/', { ...own(client), ...codeGrant(code) })
  expect(body.scope).toBe('read:profile read:projects')
})

test.each(eras)('a token of an application opens the %s era', async (era) => {
  const client = await makeClient(fixture)
  const tokens = await post(fixture, '/o/token/', { ...own(client), ...codeGrant(await getCode(fixture, client)) })
  const agent = await connect(fixture.service, { token: tokens.body.access_token, era })
  expect((await agent.listTools()).tools.length).toBeGreaterThan(0)
  await agent.close()
})
