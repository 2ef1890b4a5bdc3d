import { contracts } from '@earshot/contracts'
import { findUserWithTeams, toTimestamp, updateUser } from '@earshot/db'
import { changeOwnPassword } from './accounts.ts'
import { authorizations } from './authorizations.ts'
import { implement } from './http/implement.ts'
import { mfa } from './mfa.ts'
import { notifications } from './notifications.ts'
import { presentProfile } from './profile.ts'
import { sessions } from './sessions.ts'
import { tokens } from './tokens.ts'

export const me = implement(contracts.me, {
  retrieve: async ({ ctx }) => {
    const { teams, ...user } = await findUserWithTeams(ctx.tx, ctx.actor.userId)
    const { kind, id, scopes, expiresAt } = ctx.credential
    return { user: presentProfile(user), credential: { kind, id, scopes: [...scopes], expires_at: toTimestamp(expiresAt) }, teams }
  },
  update: async ({ ctx, input }) => presentProfile(await updateUser(ctx.tx, ctx.actor.userId, input)),
  changePassword: ({ ctx, input }) => changeOwnPassword(ctx, input),
  mfa,
  tokens,
  sessions,
  authorizations,
  notifications,
})
