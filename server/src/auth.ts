import { contracts } from '@earshot/contracts'
import { confirmAddress, confirmPasswordReset, requestReset, signUpGuest } from './accounts.ts'
import { refuseForeignPage } from './auth/provenance.ts'
import { proveSecondFactor } from './auth/second-factor.ts'
import { provePassword } from './auth/sign-in.ts'
import { implement } from './http/implement.ts'
import { logins } from './logins.ts'
import { presentProfile } from './profile.ts'

export const auth = implement(contracts.auth, {
  signUp: async ({ ctx, input }) => {
    await signUpGuest(ctx, input)
    return { detail: 'We sent you an e-mail with a link. Open it to choose a password and finish signing up.' }
  },
  verifyEmail: async ({ ctx, input }) => {
    await confirmAddress(ctx, input)
    return { email_verified: true } as const
  },
  passwordReset: {
    create: async ({ ctx, input }) => {
      await requestReset(ctx, input)
      return { detail: 'If this address has an account, we sent a link to it.' }
    },
    confirm: ({ ctx, input }) => confirmPasswordReset(ctx, input),
  },
  session: {
    create: async ({ ctx, input }) => {
      refuseForeignPage(ctx.provenance)
      const proven = await provePassword(ctx, input)
      const { userId, factor } = proven
      await proveSecondFactor(ctx, factor, input.otp)
      const { user, cookie } = await ctx.services.sessions.begin(ctx.tx, {
        ...{ userId, ip: ctx.ip, userAgent: ctx.userAgent },
        replacedId: ctx.sessionId,
      })
      ctx.setCookie(cookie)
      ctx.device.issue(proven)
      return presentProfile(user)
    },
    delete: async ({ ctx }) => {
      refuseForeignPage(ctx.provenance)
      if (ctx.sessionId !== null) await ctx.services.sessions.end(ctx.tx, ctx.sessionId)
      ctx.setCookie(ctx.services.sessions.blankCookie)
    },
  },
  token: logins,
})
