import { contracts } from '@earshot/contracts'
import { deleteSession, listSessions, type SessionRow, toTimestamp } from '@earshot/db'
import { implement } from './http/implement.ts'

/** A user's sessions and password logins. */
export const sessions = implement(contracts.me.sessions, {
  list: ({ ctx, input }) => listSessions(ctx.tx, ctx.actor.userId, input, (row) => presentSession(row, ctx.credential.id)),
  delete: ({ ctx, input }) => deleteSession(ctx.tx, ctx.actor, input.session_id),
})

export function presentSession(row: SessionRow, currentId: string) {
  return {
    id: row.id,
    // The list has only these two kinds.
    kind: row.kind as 'session' | 'jwt',
    is_current: row.id === currentId,
    ip: row.ip,
    user_agent: row.user_agent,
    expires_at: toTimestamp(row.expires_at ?? row.created_at),
    last_used_at: toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
