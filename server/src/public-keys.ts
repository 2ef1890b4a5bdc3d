import { contracts } from '@earshot/contracts'
import { createPublicKey, listPublicKeys, type PublicKeyRow, revokePublicKey, toTimestamp } from '@earshot/db'
import { makePublicKey } from './auth/token-values.ts'
import { implement } from './http/implement.ts'

export const publicKeys = implement(contracts.publicKeys, {
  list: ({ ctx, input }) => listPublicKeys(ctx.tx, input, presentPublicKey),
  create: async ({ ctx, input }) => {
    const { team_id, project_id, label = null } = input
    return presentPublicKey(await createPublicKey(ctx.tx, ctx.actor, { team_id, project_id }, { key: makePublicKey(), label }))
  },
  delete: ({ ctx, input }) => revokePublicKey(ctx.tx, ctx.actor, input),
})

function presentPublicKey(row: PublicKeyRow) {
  return {
    id: row.id,
    project_id: row.project_id,
    key: row.key,
    label: row.label,
    revoked_at: toTimestamp(row.revoked_at),
    last_used_at: toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
