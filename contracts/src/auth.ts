import { z } from 'zod'
import { accounts } from './accounts.ts'
import { logins } from './logins.ts'
import { NoContent, operation } from './operation.ts'
import { AUTH } from './paths.ts'
import { MailboxInput, OtpInput, PasswordInput } from './schemas/primitives.ts'
import { Profile } from './schemas/profile.ts'

const session = {
  create: operation({
    method: 'POST',
    path: `${AUTH}/session/`,
    access: 'account',
    summary: 'Start a session',
    description:
      'Signs in and sets the session cookie. Only for the pages of this service: a request from another origin returns 403 `csrf_failed`. A wrong password and an unknown address both return 401 `invalid_credentials`. An account with two-factor authentication requires `otp`; without it, the correct password returns 401 `invalid_credentials` with an error for that field. Ten wrong codes in 24 hours, wherever they are given, return 429 `rate_limited` for every code but recovery codes. The correct password of an unconfirmed address returns 403 `email_not_verified`. Wrong passwords are limited per account and per IP address. Signing in also sets a device cookie: in a browser that has it, wrong passwords from elsewhere do not lock the account.',
    errors: ['invalid_credentials', 'email_not_verified', 'csrf_failed'],
    input: z.strictObject({ email: MailboxInput, password: PasswordInput, otp: OtpInput.optional() }),
    output: Profile,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${AUTH}/session/`,
    access: 'account',
    summary: 'End the session',
    description: 'Signs out: ends the session of the cookie, if any, and clears the cookie.',
    errors: ['csrf_failed'],
    input: z.strictObject({}),
    output: NoContent,
  }),
}

export const auth = { ...accounts, session, token: logins }
