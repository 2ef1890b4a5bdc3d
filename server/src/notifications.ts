import { contracts } from '@earshot/contracts'
import { chooseNotifications, listNotifications } from '@earshot/db'
import { implement } from './http/implement.ts'

/** When a user gets mails of each team. */
export const notifications = implement(contracts.me.notifications, {
  retrieve: async ({ ctx }) => ({ teams: await listNotifications(ctx.tx, ctx.actor.userId) }),
  update: async ({ ctx, input: { team_id, ...choice } }) => {
    await chooseNotifications(ctx.tx, ctx.actor.userId, team_id, choice)
    return { teams: await listNotifications(ctx.tx, ctx.actor.userId) }
  },
})
