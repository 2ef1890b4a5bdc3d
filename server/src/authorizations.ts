import { contracts } from '@earshot/contracts'
import { type AuthorizationRow, deleteAuthorization, listAuthorizations, toTimestamp } from '@earshot/db'
import { implement } from './http/implement.ts'

/** A user's authorizations of OAuth clients. */
export const authorizations = implement(contracts.me.authorizations, {
  list: ({ ctx, input }) => listAuthorizations(ctx.tx, ctx.actor.userId, input, presentAuthorization),
  delete: ({ ctx, input }) => deleteAuthorization(ctx.tx, ctx.actor, input.authorization_id),
})

export function presentAuthorization({ id, client_id, client_name, scopes, ...times }: AuthorizationRow) {
  return {
    id,
    client: { id: client_id, name: client_name },
    scopes,
    last_used_at: toTimestamp(times.last_used_at),
    created_at: toTimestamp(times.created_at),
    updated_at: toTimestamp(times.updated_at),
  }
}
