import { createServer } from 'node:http'
import * as oauth from 'oauth4webapi'

// A web application that acts for the person who signs in: OAuth2's authorization code flow with PKCE (RFC 7636).
const service = new URL(process.env.EARSHOT_URL ?? 'http://localhost:8000')
const own = new URL(process.env.APP_URL ?? 'http://127.0.0.1:9001/')
const client: oauth.Client = { client_id: process.env.CLIENT_ID ?? '' }
const authentication = oauth.ClientSecretBasic(process.env.CLIENT_SECRET ?? '')
const options = { algorithm: 'oauth2' as const, [oauth.allowInsecureRequests]: service.protocol === 'http:' }
const earshot = await oauth.processDiscoveryResponse(service, await oauth.discoveryRequest(service, options))

// For one person at a time. In your application, keep these values in the person's session.
const state = oauth.generateRandomState()
const verifier = oauth.generateRandomCodeVerifier()
const redirectUri = new URL('callback', own).href

createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', own)
  if (url.pathname === '/') return void response.writeHead(302, { location: await signInAddress() }).end()
  if (url.pathname !== '/callback') return void response.writeHead(404).end()
  const callback = oauth.validateAuthResponse(earshot, client, url, state)
  const grant = await oauth.authorizationCodeGrantRequest(earshot, client, authentication, callback, redirectUri, verifier, options)
  const tokens = await oauth.processAuthorizationCodeResponse(earshot, client, grant)
  const teams = await oauth.protectedResourceRequest(
    tokens.access_token,
    'GET',
    new URL('/api/v1/teams/', service),
    undefined,
    undefined,
    options,
  )
  const { results } = (await teams.json()) as { results: { name: string }[] }
  console.log(`web app: may see ${results.map(({ name }) => name).join(', ')}`)
  response.end('Thank you. You can close this page.\n')
}).listen(Number(own.port), own.hostname, () => console.log(`web app: listening at ${own}`))

async function signInAddress(): Promise<string> {
  const address = new URL(earshot.authorization_endpoint ?? '')
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'read:teams',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  return address.href
}
