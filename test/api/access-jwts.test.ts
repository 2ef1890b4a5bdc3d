import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK, type JWTPayload } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServiceKey, sign, signingKeyOf } from '../support/jwt-keys.ts'
import { login, makeAccount, whoAmI } from '../support/logins.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let access: string
let key: ServiceKey
let foreign: JWK
let header: { alg: string; typ: string; kid: string }
let claims: JWTPayload
beforeAll(async () => {
  service = await startTestService()
  access = (await login(service, (await makeAccount(service)).email)).access
  key = await signingKeyOf(service)
  foreign = await exportJWK((await generateKeyPair('EdDSA', { extractable: true })).privateKey)
  header = { alg: 'EdDSA', typ: 'at+jwt', kid: key.kid }
  claims = decodeJwt(access)
})
afterAll(() => service.close())

test('an unchanged token is accepted, so those below are refused for their claims', async () => {
  expect(decodeProtectedHeader(access)).toEqual(header)
  expect(await outcomeOf(await sign(key.privateJwk, header, claims))).toEqual([200, undefined])
})

const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name))
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const parts = () => access.split('.') as [string, string, string]
const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset

const forgeries: Record<string, () => Promise<string> | string> = {
  'that says it needs no signature': () => `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.`,
  'that says so and has one': () => `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.${parts()[2]}`,
  'with the public key as the secret of a MAC': () =>
    sign(Buffer.from(key.publicJwk.x ?? '', 'base64url'), { ...header, alg: 'HS256' }, claims),
  'with the public key’s JSON as the secret of a MAC': () =>
    sign(Buffer.from(JSON.stringify(key.publicJwk)), { ...header, alg: 'HS256' }, claims),
  'under another name of the algorithm': () => sign(key.privateJwk, { ...header, alg: 'Ed25519' }, claims),
  'of another key under our key’s name': () => sign(foreign, header, claims),
  'of another key under its own name': () => sign(foreign, { ...header, kid: 'theirs' }, claims),
  'that brings its own key along': async () => {
    const { d: _private, ...jwk } = foreign
    return sign(foreign, { ...header, jwk, kid: 'theirs' }, claims)
  },
  'that names where its key is to be had': () => sign(foreign, { ...header, jku: `${service.url}/keys`, kid: 'theirs' }, claims),
  'with a claim changed': () => {
    const [head, , signature] = parts()
    return `${head}.${encoded({ ...claims, sub: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01' })}.${signature}`
  },
  'with a header changed': () => `${encoded({ ...header, cty: 'x' })}.${parts()[1]}.${parts()[2]}`,
  'with its signature cut': () => access.slice(0, -4),
  'with the signature of another': async () =>
    `${parts()[0]}.${parts()[1]}.${(await sign(key.privateJwk, header, { ...claims, jti: 'other' })).split('.')[2]}`,
  'without an end': () => sign(key.privateJwk, header, without('exp')),
  'without a login': () => sign(key.privateJwk, header, without('sid')),
  'without a user': () => sign(key.privateJwk, header, without('sub')),
  'without an issuer': () => sign(key.privateJwk, header, without('iss')),
  'without an audience': () => sign(key.privateJwk, header, without('aud')),
  'without its beginning': () => sign(key.privateJwk, header, without('iat')),
  'of a login that is no text': () => sign(key.privateJwk, header, { ...claims, sid: [claims.sid] }),
  'of a login that nobody began': () => sign(key.privateJwk, header, { ...claims, sid: 'A'.repeat(43) }),
  'whose end is no number': () => sign(key.privateJwk, header, { ...claims, exp: `${claims.exp}` as unknown as number }),
  'for another audience': () => sign(key.privateJwk, header, { ...claims, aud: 'http://localhost:8000' }),
  'of another issuer': () => sign(key.privateJwk, header, { ...claims, iss: 'http://localhost:8001' }),
  'of another issuer that has ended': () => sign(key.privateJwk, header, { ...claims, iss: 'http://localhost:8001', exp: seconds(-60) }),
  'of another type': () => sign(key.privateJwk, { ...header, typ: 'JWT' }, claims),
  'of no type': () => sign(key.privateJwk, { alg: 'EdDSA', kid: key.kid }, claims),
  'that is not good yet': () => sign(key.privateJwk, header, { ...claims, nbf: seconds(60) }),
  'that asks for an extension': () => `${encoded({ ...header, crit: ['x'], x: 1 })}.${parts()[1]}.${parts()[2]}`,
  'whose payload is not encoded': () => `${encoded({ ...header, b64: false, crit: ['b64'] })}.${parts()[1]}.${parts()[2]}`,
  'whose payload is a list': () => `${parts()[0]}.${encoded([])}.${parts()[2]}`,
  'whose header is no JSON': () => `abc.${parts()[1]}.${parts()[2]}`,
  'whose header is null': () => `${Buffer.from('null').toString('base64url')}.${parts()[1]}.${parts()[2]}`,
  'whose key has a number for a name': () => sign(foreign, { ...header, kid: 5 as unknown as string }, claims),
  'in four parts': () => `${access}.x`,
  'in two parts': () => parts().slice(0, 2).join('.'),
  'of three dots': () => '...',
  'of single letters': () => 'a.b.c',
  'with spaces at its dots': () => parts().join(' .'),
  'with signs of another alphabet': () => parts().join('.').replace(/.$/, '+'),
  'that is longer than any': () => `${access}${'A'.repeat(8_000)}`,
}

test.each(Object.keys(forgeries))('a token %s is refused, on REST and tRPC alike, and counted', async (name) => {
  const token = (await forgeries[name]?.()) ?? ''
  const answer = await whoAmI(service, token)
  expect([answer.status, answer.body.code]).toEqual([401, name === 'with spaces at its dots' ? 'not_authenticated' : 'invalid_token'])
  expect(answer.headers.get('ratelimit-policy')).toContain('"unauthenticated"')
  const trpc = await service.send('GET', '/trpc/me.retrieve', { token })
  expect({ ...trpc.body.error.data, request_id: null }).toEqual({ ...answer.body, request_id: null })
  const left = (headers: Headers) => Number(headers.get('x-ratelimit-remaining'))
  expect(left(trpc.headers)).toBe(left(answer.headers) - 1)
})

test('random bytes as a token are refused, and are never a server error', async () => {
  for (let round = 0; round < 100; round += 1) {
    const part = () => Buffer.from(crypto.getRandomValues(new Uint8Array(1 + (round % 40)))).toString('base64url')
    const token = round % 2 === 0 ? `${part()}.${part()}.${part()}` : `${encoded({ ...header, kid: part() })}.${part()}.${part()}`
    expect(await outcomeOf(token), token).toEqual([401, 'invalid_token'])
  }
})

test('a token’s expiry has thirty seconds of tolerance for clocks; after that the client is told to refresh', async () => {
  const ending = (offset: number) => sign(key.privateJwk, header, { ...claims, exp: seconds(offset) })
  expect(await outcomeOf(await ending(-26))).toEqual([200, undefined])
  expect(await outcomeOf(await ending(-31))).toEqual([401, 'token_expired'])
  expect(await outcomeOf(await ending(-86_400))).toEqual([401, 'token_expired'])
})

test('a token issued half a minute in the future is accepted: another replica’s clock may be ahead', async () => {
  expect(await outcomeOf(await sign(key.privateJwk, header, { ...claims, iat: seconds(30) }))).toEqual([200, undefined])
})

test('the secret of a login is no credential, neither as a token nor as a cookie', async () => {
  expect(await outcomeOf(String(claims.sid))).toEqual([401, 'invalid_token'])
  const cookie = await service.send('GET', '/api/v1/me/', { headers: { cookie: `earshot_session=${claims.sid}` } })
  expect(cookie).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
})

test('a token that carries the secret of a session or a personal access token is refused', async () => {
  const { database } = service
  const hash = (kind: string) =>
    database.run(
      "insert into credentials (kind, hash, user_id, scopes) select $1, sha256(convert_to($1 || 'secret', 'UTF8')), id, '{}' from users limit 1",
      [kind],
    )
  for (const kind of ['pat', 'session']) {
    await hash(kind)
    expect(await outcomeOf(await sign(key.privateJwk, header, { ...claims, sid: `${kind}secret` }))).toEqual([401, 'invalid_token'])
  }
})

test('bad tokens are rate limited as unauthenticated requests, which does not affect others', async () => {
  const strict = await startTestService({
    database: service.database,
    rateLimitMultiplier: 1,
    services: { secretBox: service.secretBox },
  })
  await service.database.run("delete from rate_windows where subject like 'unauthenticated:%'", [])
  const statuses: number[] = []
  const token = await sign(foreign, header, claims)
  for (let request = 0; request < 101; request += 1) statuses.push((await whoAmI(strict, token)).status)
  expect(statuses).toEqual([...Array(100).fill(401), 429])
  expect((await whoAmI(strict, access)).status).toBe(200)
  await strict.close()
})

test('a token in the query is refused, even a valid one', async () => {
  for (const value of [access, `${encoded({ alg: 'none' })}.${encoded(claims)}.`]) {
    const answer = await service.send('GET', `/api/v1/teams/?cursor=${value}`, { token: access })
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token', detail: expect.stringContaining('URL') } })
    expect(JSON.stringify(answer.body)).not.toContain(value)
  }
})

async function outcomeOf(token: string): Promise<[number, string | undefined]> {
  const { status, body } = await whoAmI(service, token)
  return [status, body.code]
}
