import { contracts } from '@earshot/contracts'
import { implement } from './implement.ts'
import { logIns } from './log-ins.ts'
import { refuseForeignPage } from './own-pages.ts'
import { presentProfile } from './profile.ts'
import { provePassword } from './sign-in.ts'

export const auth = implement(contracts.auth, {
  session: {
    create: async ({ ctx, input }) => {
      refuseForeignPage(ctx.provenance)
      const { userId } = await provePassword(ctx, input)
      const { user, cookie } = await ctx.services.sessions.begin(ctx.tx, { userId, ip: ctx.ip, userAgent: ctx.userAgent })
      ctx.setCookie(cookie)
      return presentProfile(user)
    },
    delete: async ({ ctx }) => {
      refuseForeignPage(ctx.provenance)
      if (ctx.sessionId !== null) await ctx.services.sessions.end(ctx.tx, ctx.sessionId)
      ctx.setCookie(ctx.services.sessions.blankCookie)
    },
  },
  token: logIns,
})
