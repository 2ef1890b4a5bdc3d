import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import type { Row, Sql } from 'postgres'

/** Finds the caller of a team's resource by any kind of credential, as hand-written code would. */
export type FindCaller = (headers: IncomingHttpHeaders, teamId: string) => Promise<Row | undefined>

export function createFindCaller(sql: Sql): FindCaller {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  const secretOf = async (jwt: string): Promise<string> => {
    if (!keys) {
      const rows = await sql<{ public_key: string }[]>`select public_key::text from jwt_keys`
      const set = { keys: rows.map(({ public_key }) => JSON.parse(public_key)) } as JSONWebKeySet // Written by the service.
      keys = createLocalJWKSet(set)
    }
    const { payload } = await jwtVerify(jwt, keys, { algorithms: ['EdDSA'], typ: 'at+jwt', requiredClaims: ['exp'] })
    return String(payload.sid)
  }

  return async ({ authorization, cookie }, teamId) => {
    const token = authorization?.slice('Bearer '.length) ?? cookie?.split('=')[1] ?? ''
    const hash = createHash('sha256')
      .update(token.startsWith('eyJ') ? await secretOf(token) : token)
      .digest()
    const [caller] = token.startsWith('sva_')
      ? await sql`
          select c.user_id, a.scopes, m.role
            from access_tokens a
            join credentials c on c.id = a.credential_id
            join memberships m on m.user_id = c.user_id and m.team_id = ${teamId}
           where a.hash = ${hash} and a.expires_at > now() and c.revoked_at is null`
      : await sql`
          select c.user_id, c.scopes, m.role
            from credentials c
            join memberships m on m.user_id = c.user_id and m.team_id = ${teamId}
           where c.hash = ${hash} and c.revoked_at is null and (c.expires_at is null or c.expires_at > now())`
    return caller
  }
}
