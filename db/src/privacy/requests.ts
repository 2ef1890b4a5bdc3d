import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { type Page, type PageBounds, type PageQuery, pageBounds, pageOf } from '../sql/pages.ts'
import { notFound, onlyOne } from '../sql/rows.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { privacy_requests, type StoredRecipient } from '../tables/privacy.ts'
import { webhook_endpoints } from '../tables/webhooks.ts'
import { type TeamUser, teamUserJson } from '../users.ts'
import type { RequestRef } from './erased-records.ts'

/** The nouns that a request counts. */
export const personalNouns = [
  'submissions',
  'videos',
  'responses',
  'invitations',
  'import_rows',
  'import_files',
  'events',
  'deliveries',
  'attempts',
  'audit_entries',
  'mails',
  'stored_responses',
] as const
type PersonalNoun = (typeof personalNouns)[number]
export type PersonalCounts = Record<PersonalNoun, number>

type StoredRequest = Omit<typeof privacy_requests.$inferSelect, 'person_mac' | 'sealed_email' | 'step' | 'position' | 'requested_by'>

/** An endpoint that got copies; the URL is null once the endpoint is deleted for good. */
export type RecipientRow = StoredRecipient & { url: string | null }

/** A request with who made it as the person is now, and its recipients as they are now. */
export type PrivacyRequestRow = Omit<StoredRequest, 'counts' | 'recipients'> & {
  counts: Partial<PersonalCounts>
  requested_by: TeamUser | null
  recipients: RecipientRow[]
}

const COLUMNS = sql.raw(
  ['team_id', 'id', 'kind', 'state', 'counts', 'completed_at', 'updated_at', 'created_at'].map((name) => `s.${name}`).join(', '),
)

/** Stored recipients with the URLs of their endpoints, as JSON. */
export const withUrls = (recipients: SQL, team_id: SQL) => sql`(
           select coalesce(json_agg(json_build_object(
                    'webhook_id', r.webhook_id, 'deliveries', r.deliveries, 'last_delivered_at', r.last_delivered_at,
                    'url', (select e.url from ${webhook_endpoints} e where e.team_id = ${team_id} and e.id = r.webhook_id)
                  ) order by r.webhook_id), '[]')
             from jsonb_to_recordset(${recipients}) r (webhook_id uuid, deliveries int, last_delivered_at text)
         )`

const columns = sql`${COLUMNS}, ${teamUserJson(sql`s.requested_by`)} as requested_by, ${withUrls(sql`s.recipients`, sql`s.team_id`)} as recipients`

const list = statement<PageBounds & { team_id: string }, PrivacyRequestRow>(
  (p) => sql`
  select ${columns}
    from ${privacy_requests} s
   where s.team_id = ${p.team_id} and s.id < ${p.before} and s.id >= ${p.after}
   order by s.id desc
   limit ${p.take}`,
)

const here = (p: Parameters<RequestRef>) => sql`s.team_id = ${p.team_id} and s.id = ${p.request_id}`

const find = statement<RequestRef, PrivacyRequestRow>(
  (p) => sql`
  select ${columns}
    from ${privacy_requests} s
   where ${here(p)}`,
)

/** Lists the privacy requests of a team, newest first. */
export async function listPrivacyRequests<Item>(
  tx: Tx,
  { team_id, ...query }: PageQuery & { team_id: string },
  present: (row: PrivacyRequestRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, ...pageBounds(query) }), query.limit, present)
}

/** Finds a privacy request. Throws `not_found`. */
export async function findPrivacyRequest(tx: Tx, { team_id, request_id }: RequestRef): Promise<PrivacyRequestRow> {
  return (await find(tx, { team_id, request_id }))[0] ?? notFound()
}

/** A new request, with the sealed address of one that runs. */
export interface NewRequest extends RequestRef {
  kind: 'export' | 'erase'
  person_mac: Buffer
  sealed_email: Buffer | null
  requested_by: string | null
}

const insert = statement<NewRequest & { step: string | null }, never>(
  (p) => sql`
  insert into ${privacy_requests} (team_id, id, kind, state, person_mac, sealed_email, requested_by, step, completed_at)
  values (
    ${p.team_id}, ${p.request_id}, ${p.kind}, case when ${p.step}::text is null then 'completed' else 'running' end,
    ${p.person_mac}, ${p.sealed_email}, ${p.requested_by}, ${p.step}, case when ${p.step}::text is null then now() end
  )`,
)

/** Stores a request: one with a step runs. */
export async function insertRequest(tx: Tx, request: NewRequest, step: string | null): Promise<void> {
  await insert(tx, { ...request, step })
}

const findRunning = statement<{ team_id: string; person_mac: Buffer }, { id: string }>(
  (p) => sql`
  select id
    from ${privacy_requests}
   where team_id = ${p.team_id} and person_mac = ${p.person_mac} and kind = 'erase' and state = 'running'`,
)

/** Returns the id of the erasure of a person that runs; undefined for none. */
export async function findRunningErasure(tx: Tx, values: { team_id: string; person_mac: Buffer }): Promise<string | undefined> {
  return (await findRunning(tx, values))[0]?.id
}

const lockErasures = statement<{ team_id: string }, never>(
  (p) => sql`
  select pg_advisory_xact_lock(hashtext('erasures ' || ${p.team_id}::text))`,
)

const tryErasures = statement<{ team_id: string }, { is_granted: boolean }>(
  (p) => sql`
  select pg_try_advisory_xact_lock(hashtext('erasures ' || ${p.team_id}::text)) as is_granted`,
)

/** Holds off the other erasures of a team until the commit: two at once would lock rows of several projects in different orders. */
export async function holdErasures(tx: Tx, team_id: string): Promise<void> {
  await lockErasures(tx, { team_id })
}

/** The same, unless another one has its turn: a job must not wait with a connection that others need. Returns whether it holds them. */
export async function tryToHoldErasures(tx: Tx, team_id: string): Promise<boolean> {
  return onlyOne(await tryErasures(tx, { team_id })).is_granted
}

const lock = statement<RequestRef, typeof privacy_requests.$inferSelect>(
  (p) => sql`
  select ${columnsOf(privacy_requests, 's')}
    from ${privacy_requests} s
   where ${here(p)} and s.state = 'running'
     for no key update`,
)

/** Locks an erasure that runs; undefined for one that has ended. */
export async function lockRunning(tx: Tx, { team_id, request_id }: RequestRef) {
  return (await lock(tx, { team_id, request_id }))[0]
}

const advance = statement<RequestRef & { step: string | null; position: string[]; counts: string; recipients: string }, never>(
  (p) => sql`
  update ${privacy_requests} s
     set step = ${p.step}::text, position = ${p.position}::text[], counts = ${p.counts}::jsonb, recipients = ${p.recipients}::jsonb,
         updated_at = now(),
         state = case when ${p.step}::text is null then 'completed' else s.state end,
         sealed_email = case when ${p.step}::text is null then null else s.sealed_email end,
         completed_at = case when ${p.step}::text is null then now() end
   where ${here(p)}`,
)

/** Notes how far an erasure came. Without a next step it is completed, and the address is forgotten. */
export async function advanceRequest(
  tx: Tx,
  { team_id, request_id }: RequestRef,
  progress: { step: string | null; position: string[]; counts: Partial<PersonalCounts>; recipients: StoredRecipient[] },
): Promise<void> {
  const { step, position, counts, recipients } = progress
  await advance(tx, {
    ...{ team_id, request_id, step, position },
    ...{ counts: JSON.stringify(counts), recipients: JSON.stringify(recipients) },
  })
}

const noteExport = statement<RequestRef & { person_mac: Buffer; counts: string }, { team_id: string }>(
  (p) => sql`
  update ${privacy_requests} s
     set counts = (
           select coalesce(jsonb_object_agg(c.noun, c.count), '{}')
             from (
                    select noun, sum(count::int) as count
                      from (select * from jsonb_each_text(s.counts) union all select * from jsonb_each_text(${p.counts}::jsonb)) e (noun, count)
                     group by noun
                  ) c
         ),
         updated_at = now()
   where ${here(p)} and s.kind = 'export' and s.person_mac = ${p.person_mac}
  returning s.team_id`,
)

/** Adds what a page of an export holds to the counts of its request; returns whether the person has such a request. */
export async function noteExported(tx: Tx, ref: RequestRef & { person_mac: Buffer }, counts: Partial<PersonalCounts>): Promise<boolean> {
  const { team_id, request_id, person_mac } = ref
  return (await noteExport(tx, { team_id, request_id, person_mac, counts: JSON.stringify(counts) })).length > 0
}

/** Adds counts to others. */
export function sumCounts(before: Partial<PersonalCounts>, more: Partial<PersonalCounts>): Partial<PersonalCounts> {
  const sum = { ...before }
  for (const noun of personalNouns) if (more[noun]) sum[noun] = (sum[noun] ?? 0) + more[noun]
  return sum
}

const findErased = statement<{ team_id: string; macs: string[] }, { number: number }>(
  (p) => sql`
  select m.number::int as number
    from unnest(${p.macs}::text[]) with ordinality m (mac, number)
   where exists (
           select
             from ${privacy_requests} r
            where r.team_id = ${p.team_id} and r.person_mac = decode(m.mac, 'hex') and r.kind = 'erase'
         )`,
)

const findAny = statement<{ team_id: string }, { exists: boolean }>(
  (p) => sql`
  select exists (select from ${privacy_requests} where team_id = ${p.team_id} and kind = 'erase') as exists`,
)

/** Returns whether the team has erased anybody. */
export async function hasErasedPersons(tx: Tx, team_id: string): Promise<boolean> {
  return onlyOne(await findAny(tx, { team_id })).exists
}

/**
 * Returns which of these people the team has erased, by their index. The MAC of a person is
 * `secretBox.mac('person', personMessage(team_id, email))`.
 */
export async function erasedPersons(tx: Tx, team_id: string, macs: readonly Buffer[]): Promise<Set<number>> {
  if (macs.length === 0) return new Set()
  const rows = await findErased(tx, { team_id, macs: macs.map((mac) => mac.toString('hex')) })
  return new Set(rows.map(({ number }) => number - 1))
}
