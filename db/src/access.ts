import type { CredentialKind, Plan, Role, Scope } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from './driver/database.ts'
import { batched } from './sql/batch.ts'
import { onlyOne } from './sql/rows.ts'
import { statement } from './sql/statement.ts'
import { credentials } from './tables/credentials.ts'
import { memberships } from './tables/members.ts'
import { projects } from './tables/projects.ts'
import { rate_windows } from './tables/rate-limits.ts'
import { teams } from './tables/teams.ts'
import { access_tokens } from './tables/tokens.ts'
import { users } from './tables/users.ts'

/** A rate limit, already scaled. */
export interface Limit {
  max: number
  windowSeconds: number
}

export interface AccessQuery {
  /** SHA-256 of the credential's value, or of an access token that it handed out. */
  hash: Buffer
  isAccessToken: boolean
  team: string | null
  project: string | null
  /** Origin of the calling page, when it is not our own. */
  origin: string | null
  /** Null when the request was counted before and continues. */
  limit: Limit | null
  /** Counts requests whose credential is unknown or expired. */
  unknownSubject: string
  unknownLimit: Limit
}

/**
 * The caller of a request. `credential_id` null: the credential is unknown or, with `expired`, expired. `team_id` null although
 * asked: not the caller's. `project_id` null although asked: not in that team.
 */
export interface AccessRow {
  credential_id: string | null
  credential_kind: CredentialKind
  expires_at: string | null
  expired: boolean | null
  user_id: string
  scopes: Scope[]
  team_id: string | null
  role: Role
  plan: Plan
  /** Where the request names no team: whether one of the caller's teams has API access. */
  any_api_access: boolean | null
  project_id: string | null
  origin_allowed: boolean | null
  /** How many requests its counter has counted, this one included; null above the limit. */
  used: number | null
  reset_seconds: number
}

type CountedRow = AccessRow & {
  number: number
  /** Of the counter that counted the request; null where it was counted before. */
  subject: string | null
  is_unused: boolean | null
}

/** `used` is what the counter says with all requests of the statement, null when it was above the highest limit before. */
const selectAccesses = statement<{ requests: string; highestMax: number }, CountedRow>(
  (p) => sql`
  with request as materialized (
    select r.number, r.team, r.origin, c.*,
           case when r.max is not null then case when not c.expired then 'user:' || c.user_id else r.unknown_subject end end as subject,
           case when not c.expired then r.window_seconds else r.unknown_window_seconds end as window_seconds
      from jsonb_to_recordset(${p.requests}::jsonb) as r (
             number int, hash text, is_access_token boolean, team uuid, project uuid, origin text,
             max int, window_seconds int, unknown_subject text, unknown_window_seconds int
           )
      -- A look-up for each request, by indexes: for a join the planner would read whole tables, and again when they have grown.
      left join lateral (
             select c.id, c.kind, h.expires_at, coalesce(h.expires_at <= now(), false) as expired, c.user_id, h.scopes,
                    -- Coarse, so that a busy token does not cost a write each time.
                    c.last_used_at is null or c.last_used_at < now() - interval '1 minute' as is_unused,
                    t.id as team_id, m.role, t.plan, j.id as project_id,
                    r.origin is null or r.origin = any (t.cors_origins) as origin_allowed
               from (
                      select k.id, k.expires_at, k.scopes
                        from ${credentials} k
                       where not r.is_access_token and k.hash = decode(r.hash, 'hex')
                      union all
                      select a.credential_id, a.expires_at, a.scopes
                        from ${access_tokens} a
                       where r.is_access_token and a.hash = decode(r.hash, 'hex')
                    ) h
               join ${credentials} c on c.id = h.id and c.revoked_at is null
               join ${users} u on u.id = c.user_id and u.disabled_at is null
               left join ${memberships} m on m.user_id = u.id and m.team_id = r.team
               left join ${teams} t on t.id = m.team_id and t.deleted_at is null
               left join ${projects} j on j.team_id = t.id and j.id = r.project and j.deleted_at is null
              limit 1
           ) c on true
  ),
  -- Counts as count_request() does. Counters are locked in the order of their subjects: statements that run at once never wait
  -- for each other in a circle.
  counter as (
    insert into ${rate_windows} as w (subject, window_start, used)
    select r.subject, date_bin(r.window_seconds * interval '1 second', now(), 'epoch'), count(*)::int
      from request r
     where r.subject is not null
     group by r.subject, r.window_seconds
     order by r.subject
    on conflict (subject) do update set
      used = case when w.window_start >= excluded.window_start then w.used else 0 end + excluded.used,
      window_start = greatest(w.window_start, excluded.window_start)
    where w.window_start < excluded.window_start or w.used <= ${p.highestMax}::int
    returning w.subject, w.used
  )
  select r.number,
         case when not r.expired then r.id end as credential_id,
         r.kind as credential_kind, r.expires_at, coalesce(r.expired, false) as expired, r.user_id, r.scopes,
         r.team_id, r.role, r.plan,
         case when r.team is null then (access_without_team(r.user_id, r.origin)).any_api_access end as any_api_access,
         r.project_id,
         case
           when r.team is not null or r.origin is null then r.origin_allowed
           else (access_without_team(r.user_id, r.origin)).origin_allowed
         end as origin_allowed,
         r.subject,
         (select c.used from counter c where c.subject = r.subject) as used,
         r.window_seconds - floor(date_part('epoch', now() - date_bin(r.window_seconds * interval '1 second', now(), 'epoch')))::int
           as reset_seconds,
         r.is_unused and not r.expired as is_unused
    from request r`,
)

/** Skips what another statement is writing: no two wait for each other. */
const noteUse = statement<{ ids: string[] }, never>(
  (p) => sql`
  update ${credentials}
     set last_used_at = now()
   where id in (
           select id
             from ${credentials}
            where id = any (${p.ids}::uuid[])
              for no key update skip locked
         )`,
)

/**
 * Authorizes a caller and counts the request, in one round trip. Requests that come together share it: one batch at a time is
 * the cheapest, and none waits for a lock that is held for longer than another batch.
 */
export const readAccess = batched<AccessQuery, AccessRow>(
  async (tx, queries) => {
    const highestMax = Math.max(...queries.flatMap(({ limit, unknownLimit }) => [limit?.max ?? 0, unknownLimit.max]))
    const rows = await selectAccesses(tx, { requests: JSON.stringify(queries.map(accessRequest)), highestMax })
    // The counter says what was used with the last request of its subject: each earlier one used one less.
    const later = new Map<string, number>()
    for (const [index, query] of [...queries.entries()].reverse()) {
      const row = rows[index]
      if (row?.number !== index + 1) throw new Error('A row of an access statement is not that of its request')
      if (row.subject === null || row.used === null) continue
      const turn = later.get(row.subject) ?? 0
      later.set(row.subject, turn + 1)
      const { max } = (row.credential_id === null ? undefined : query.limit) ?? query.unknownLimit
      row.used = row.used - turn > max ? null : row.used - turn
    }
    await noteUses(tx, rows)
    return rows
  },
  { maxBatches: 1 },
)

/** A use that could not be noted is noted with the next request: these have been counted, and must not be run again. */
async function noteUses(tx: Tx, rows: CountedRow[]): Promise<void> {
  const ids = rows.flatMap(({ credential_id, is_unused }) => (is_unused && credential_id ? [credential_id] : []))
  if (ids.length > 0) await noteUse(tx, { ids }).catch(() => {})
}

/** A request as the statement takes it: the hash in hexadecimal, `max` absent where nothing is counted. */
function accessRequest({ hash, isAccessToken, team, project, origin, limit, unknownSubject, unknownLimit }: AccessQuery, index: number) {
  return {
    number: index + 1,
    hash: hash.toString('hex'),
    is_access_token: isAccessToken,
    ...{ team, project, origin },
    max: limit?.max,
    window_seconds: limit?.windowSeconds,
    unknown_subject: unknownSubject,
    unknown_window_seconds: unknownLimit.windowSeconds,
  }
}

export interface PublicAccessQuery {
  publicKey: string | null
  /** The counter of the requests; null when this one was counted before. */
  subject: string | null
  /** The address that repeated violations of limits block. */
  address: string
  limit: Limit
  /** How many requests of the address to the project a day allows; absent where no day bounds them. */
  dayMax?: number
}

export interface PublicAccessRow {
  team_id: string | null
  project_id: string | null
  public_count: number
  rated_count: number
  rating_sum: number
  used: number | null
  reset_seconds: number
  /** How long the address is blocked; null if it is not. */
  blocked_seconds: number | null
  /** Of a widget: a text that changes with anything that it shows. */
  version?: string | null
}

const selectPublicAccess = statement<{ requests: string }, PublicAccessRow & { number: number }>(
  (p) => sql`
  select *
    from public_access(${p.requests}::jsonb)`,
)

/** Counts a request of the public plane and finds the project of its public key, in one round trip. Requests that come together share it. */
export const readPublicAccess = batched<PublicAccessQuery, PublicAccessRow>(readPublicAccesses, { maxBatches: 1 })

/** Does the same for many requests, in one round trip: a row for each, in their order. */
export async function readPublicAccesses(tx: Tx, queries: readonly PublicAccessQuery[]): Promise<PublicAccessRow[]> {
  const rows = await selectPublicAccess(tx, { requests: JSON.stringify(publicAccessRequests(queries)) })
  requireInOrder(rows)
  return rows
}

/** A second check that each row is that of its request. */
export function requireInOrder(rows: readonly { number: number }[]): void {
  if (rows.some(({ number }, index) => number !== index + 1)) throw new Error('A row of public_access() is not that of its request')
}

/** Requests as public_access() takes them, numbered in their order. */
export function publicAccessRequests(queries: readonly PublicAccessQuery[]) {
  return queries.map(({ publicKey, subject, address, limit, dayMax }, index) => ({
    number: index + 1,
    public_key: publicKey,
    subject,
    address,
    max: limit.max,
    window_seconds: limit.windowSeconds,
    day_max: dayMax,
  }))
}

const count = statement<{ subject: string } & Limit, { used: number | null; reset_seconds: number }>(
  (p) => sql`
  select used, reset_seconds
    from count_request(${p.subject}::text, ${p.max}::int, ${p.windowSeconds}::int)`,
)

/** Counts a request without a credential. `used` is null when the limit is reached. */
export async function countRequest(tx: Tx, { subject, limit }: { subject: string; limit: Limit }) {
  return onlyOne(await count(tx, { subject, ...limit }))
}
