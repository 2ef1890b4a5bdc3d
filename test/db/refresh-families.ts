import { randomBytes } from 'node:crypto'
import type { Scope } from '@earshot/contracts'
import { createLogin, type Database, endLogin } from '@earshot/db'
import { rotateRefreshToken } from '@earshot/db/oauth'
import fc from 'fast-check'
import { allowClient, registerClient } from '../support/credentials.ts'
import { makeUser } from '../support/people.ts'

export type Kind = 'jwt' | 'oauth2'

const SCOPES: Scope[] = ['read:teams', 'read:projects']
/** Of the access token: those that were given, fewer, or more than that. */
const WANTED = { given: null, fewer: ['read:teams'], more: ['read:teams', 'write:teams'] }

export interface Exchange {
  kind: 'exchange'
  /** Its index among all tokens of the family. */
  token: number
  leewaySeconds: 0 | 10
  scopes: keyof typeof WANTED
  /** Exchanged by a client that does not own the family. */
  isForeign: boolean
}

/** Actions on a family. `wait` lets the leeway expire. */
export type Move = Exchange | { kind: 'expire'; token: number } | { kind: 'wait' | 'revoke' | 'disable' | 'enable' }

export function anyExchange(leewaySeconds: fc.Arbitrary<0 | 10> = fc.constantFrom(0, 10)): fc.Arbitrary<Exchange> {
  return fc.record({
    kind: fc.constant('exchange'),
    token: fc.nat({ max: 50 }),
    leewaySeconds,
    scopes: fc.constantFrom('given', 'given', 'fewer', 'more'),
    isForeign: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
}

/** Mostly exchanges. Actions that end the family are rarer, because they end a run. */
export function anyMove(): fc.Arbitrary<Move> {
  return fc.oneof(
    { weight: 14, arbitrary: anyExchange() },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('expire' as const), token: fc.nat({ max: 50 }) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('wait' as const, 'disable' as const, 'enable' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const) }) },
  )
}

/** The state of a family in PostgreSQL. */
interface Holdings {
  isRevoked: boolean
  /** Tokens that can be exchanged now, by index. */
  live: number[]
  tokens: number
  /** Access tokens that work. */
  access: number
}

/** The real tables, for one family. */
export interface Family {
  kind: Kind
  exchange: (move: Exchange) => Promise<string>
  /** Everything but an exchange. */
  befall: (move: Exclude<Move, Exchange>) => Promise<void>
  holdings: () => Promise<Holdings>
}

/** A family of a user of its own, with its first refresh token. */
export async function beginFamily(database: Database, kind: Kind): Promise<Family> {
  const first = randomBytes(32)
  const { id, userId, clientId } = await (kind === 'jwt' ? beginLogin(database, first) : beginAuthorization(database, first))
  /** In order of issue. */
  const hashes = [first]
  const hashAt = (place: number) => hashes[place % hashes.length] as Buffer
  const run = (text: string, ...params: unknown[]) => database.run(text, [id, ...params])
  const ends = {
    wait: () => run("update refresh_tokens set used_at = used_at - interval '11 seconds' where credential_id = $1"),
    revoke: () =>
      kind === 'jwt'
        ? endLogin(database, hashAt(hashes.length - 1))
        : run('update credentials set revoked_at = now() where id = $1 and revoked_at is null'),
    disable: () => database.run('update users set disabled_at = now() where id = $1', [userId]),
    enable: () => database.run('update users set disabled_at = null where id = $1', [userId]),
  }
  return {
    kind,
    async exchange({ token, leewaySeconds, scopes, isForeign }) {
      const nextHash = randomBytes(32)
      const { outcome } = await rotateRefreshToken(database, {
        ...{ hash: hashAt(token), kind, clientId: isForeign ? userId : clientId, scopes: WANTED[scopes], leewaySeconds },
        ...{ nextHash, nextExpiresAt: inAnHour(), accessHash: kind === 'jwt' ? null : randomBytes(32), accessExpiresAt: inAnHour() },
      })
      if (outcome === 'rotated') hashes.push(nextHash)
      return outcome
    },
    async befall(move) {
      if (move.kind !== 'expire') await ends[move.kind]()
      else
        await run(
          "update refresh_tokens set expires_at = now() - interval '1 second' where credential_id = $1 and hash = $2",
          hashAt(move.token),
        )
    },
    async holdings() {
      const [row] = await database.run<Omit<Holdings, 'live'> & { live: string[] }>(READ_HOLDINGS, [id])
      if (!row) throw new Error('The family is gone')
      return { ...row, live: row.live.map((live) => hashes.findIndex((hash) => hash.toString('hex') === live)) }
    },
  }
}

/** Checks validity as `access` does: of the credential and of its user. */
const READ_HOLDINGS = `
  select c.revoked_at is not null as "isRevoked",
         (select count(*)::int from refresh_tokens r where r.credential_id = c.id) as tokens,
         (select count(*)::int from access_tokens a where a.credential_id = c.id and c.revoked_at is null and u.disabled_at is null) as access,
         array(
           select encode(r.hash, 'hex')
             from refresh_tokens r
            where r.credential_id = c.id and r.used_at is null and r.expires_at > now() and c.revoked_at is null and u.disabled_at is null
         ) as live
    from credentials c
    join users u on u.id = c.user_id
   where c.id = $1`

async function beginLogin(database: Database, refreshHash: Buffer) {
  const { id: userId } = await makeUser(database)
  const [row] = await database.run<{ id: string }>('select uuidv7() as id', [])
  const id = row?.id ?? ''
  await createLogin(database, { id, hash: randomBytes(32), userId, refreshHash, expiresAt: inAnHour(), ip: '127.0.0.1', userAgent: null })
  await database.run('update credentials set scopes = $2 where id = $1', [id, SCOPES])
  return { id, userId, clientId: null }
}

async function beginAuthorization(database: Database, refreshHash: Buffer) {
  const { id: userId } = await makeUser(database)
  const client = await registerClient(database, { scopes: SCOPES })
  const id = await allowClient(database, userId, { client, scopes: SCOPES, refreshHash })
  return { id, userId, clientId: client.id }
}

function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString()
}
