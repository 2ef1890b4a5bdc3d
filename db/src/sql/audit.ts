import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/tx.ts'
import { type Actor, type ActorValues, actorRow, actorValues } from './actor.ts'
import { statement } from './statement.ts'
import { toTimestamp } from './timestamps.ts'

/** Columns that no audit entry shows: secrets and their hashes, and the time of the change, which every entry has. */
const HIDDEN_COLUMNS = new Set([
  ...['updated_at', 'secret', 'previous_secret', 'signing_key', 'previous_signing_key'],
  ...['hash', 'token_hash', 'revoke_token_hash', 'password_hash'],
  // What became of a logo's address.
  ...['theme_logo_version', 'theme_logo_error'],
  // An entry shows which headers changed; see `SealedHeaders`.
  ...['header_names', 'header_values'],
])
/** An instant as PostgreSQL writes it in UTC. */
const INSTANT = /^\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/

/** What an audit entry says of a field: its value before and after. */
export type Changes = Record<string, { from: unknown; to: unknown }>

/** An entry of a team's audit log. */
export interface AuditEntry {
  team_id: string
  project_id?: string | null
  action: `${string}.${string}`
  /** What kind of thing was changed: `project`, `webhook`, `user`. */
  target: string
  target_id: string
  changes?: Changes
}

const record = statement<ActorValues & Omit<Required<AuditEntry>, 'changes'> & { changes: string }, never>(
  (p) => sql`
  select record_audit(
           ${actorRow(p)}, ${p.team_id}::uuid, ${p.project_id}::uuid, ${p.action}::text, ${p.target}::text, ${p.target_id}::uuid, ${p.changes}::jsonb
         )`,
)

/** Adds an entry to a team's audit log, in the transaction of the change. */
export async function recordAudit(tx: Tx, actor: Actor, { project_id = null, changes = {}, ...entry }: AuditEntry): Promise<void> {
  await record(tx, { ...actorValues(actor), ...entry, project_id, changes: JSON.stringify(changes) })
}

const recordEach = statement<ActorValues & { entries: string }, never>(
  (p) => sql`
  select
    from jsonb_to_recordset(${p.entries}::jsonb) e (team_id uuid, project_id uuid, action text, target text, target_id uuid, changes jsonb)
   cross join lateral record_audit(${actorRow(p)}, e.team_id, e.project_id, e.action, e.target, e.target_id, coalesce(e.changes, '{}'))`,
)

/** Adds any number of entries, each to the audit log of its team, in one statement. */
export async function recordAudits(tx: Tx, actor: Actor, entries: readonly AuditEntry[]): Promise<void> {
  await recordEach(tx, { ...actorValues(actor), entries: JSON.stringify(entries) })
}

type PersonalEntry = Omit<AuditEntry, 'team_id' | 'project_id'> & { user_id: string }

const recordInTeams = statement<ActorValues & Omit<Required<PersonalEntry>, 'changes'> & { changes: string }, never>(
  (p) => sql`
  select record_audit_in_teams(
           ${actorRow(p)}, ${p.user_id}::uuid, ${p.action}::text, ${p.target}::text, ${p.target_id}::uuid, ${p.changes}::jsonb
         )`,
)

/** Adds the same entry to the audit log of each team of a user: a personal credential reaches all of them. */
export async function recordAuditInTeams(tx: Tx, actor: Actor, { changes = {}, ...entry }: PersonalEntry): Promise<void> {
  await recordInTeams(tx, { ...actorValues(actor), ...entry, changes: JSON.stringify(changes) })
}

/** Returns what differs between two versions of a row, for the audit log; without secrets. A row that is new has no version before. */
export function changedFields(before: object, after: object): Changes {
  const old = before as Record<string, unknown>
  const changed = Object.entries(after).filter(
    ([name, value]) => !HIDDEN_COLUMNS.has(name) && JSON.stringify(old[name] ?? null) !== JSON.stringify(value ?? null),
  )
  return Object.fromEntries(changed.map(([name, value]) => [name, { from: auditValue(old[name]), to: auditValue(value) }]))
}

function auditValue(value: unknown): unknown {
  return typeof value === 'string' && INSTANT.test(value) ? toTimestamp(value) : (value ?? null)
}
