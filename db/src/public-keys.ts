import { sql } from 'drizzle-orm'
import { type Tx, transaction } from './driver/database.ts'
import type { ProjectRef } from './projects.ts'
import type { Actor } from './sql/actor.ts'
import { recordAudit } from './sql/audit.ts'
import { columnsOf } from './sql/columns.ts'
import { type Page, type PageQuery, pageBounds, pageOf } from './sql/pages.ts'
import { insertRecord, listRecords } from './sql/records.ts'
import { notFound, onlyOne } from './sql/rows.ts'
import { type Parameters, statement } from './sql/statement.ts'
import { public_keys } from './tables/public-keys.ts'

export type PublicKeyRow = typeof public_keys.$inferSelect

const inProject = (p: Parameters<ProjectRef>) => sql`team_id = ${p.team_id} and project_id = ${p.project_id} and revoked_at is null`

const list = listRecords<ProjectRef, PublicKeyRow>(public_keys, inProject)
const insert = insertRecord<PublicKeyRow>(public_keys, ['team_id', 'project_id', 'key', 'label'])

/** Lists the public keys of a project, newest first, without revoked ones. */
export async function listPublicKeys<Item>(
  tx: Tx,
  { team_id, project_id, ...query }: PageQuery & ProjectRef,
  present: (row: PublicKeyRow) => Item,
): Promise<Page<Item>> {
  return pageOf(await list(tx, { team_id, project_id, ...pageBounds(query) }), query.limit, present)
}

/** Creates a public key of a project. */
export async function createPublicKey(
  tx: Tx,
  actor: Actor,
  { team_id, project_id }: ProjectRef,
  { key, label }: { key: string; label: string | null },
): Promise<PublicKeyRow> {
  return transaction(tx, async (tx) => {
    const publicKey = onlyOne(await insert(tx, { team_id, project_id, key, label }))
    await recordAudit(tx, actor, { ...target(publicKey), action: 'public_key.created' })
    return publicKey
  })
}

const revoke = statement<ProjectRef & { public_key_id: string }, PublicKeyRow>(
  (p) => sql`
  update ${public_keys}
     set revoked_at = now(), updated_at = now()
   where ${inProject(p)}
     and id = ${p.public_key_id}
  returning ${columnsOf(public_keys)}`,
)

/** Revokes a public key: it stops working with the next request. */
export async function revokePublicKey(tx: Tx, actor: Actor, ref: ProjectRef & { public_key_id: string }): Promise<void> {
  await transaction(tx, async (tx) => {
    const publicKey = (await revoke(tx, ref))[0] ?? notFound()
    await recordAudit(tx, actor, { ...target(publicKey), action: 'public_key.deleted' })
  })
}

/** What an audit entry says of a public key. */
function target({ team_id, project_id, id }: PublicKeyRow) {
  return { team_id, project_id, target: 'public_key', target_id: id }
}
