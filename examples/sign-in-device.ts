import * as openid from 'openid-client'

// A tool without a browser of its own: the device flow of OAuth2 (RFC 8628).
const service = new URL(process.env.EARSHOT_URL ?? 'http://localhost:8000')
const overHttp = service.protocol === 'http:' ? [openid.allowInsecureRequests] : []
const earshot = await openid.discovery(service, 'earshot-cli', undefined, openid.None(), { algorithm: 'oauth2', execute: overHttp })

const device = await openid.initiateDeviceAuthorization(earshot, { scope: 'read:profile read:teams' })
console.log(`device: open ${device.verification_uri_complete} and allow access`)
const tokens = await openid.pollDeviceAuthorizationGrant(earshot, device)

const response = await openid.fetchProtectedResource(earshot, tokens.access_token, new URL('/api/v1/me/', service), 'GET')
const { user, credential } = (await response.json()) as { user: { email: string }; credential: { kind: string } }
console.log(`device: signed in as ${user.email} by ${credential.kind}`)
