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
    summary: 'Sign in to the pages',
    description:
      'Begins a session and sets its cookie. For the pages of this service alone: a request from another origin is 403 `csrf_failed`. A wrong password and an address without an account are the same 401 `invalid_credentials`. An account with a second factor asks for `otp`: without it the right password is 401 `invalid_credentials` with an error of that field. The right password of an address that was never confirmed is 403 `email_not_verified`, and another link goes by e-mail, at most one a minute. Tries are limited for each account and address.',
    errors: ['invalid_credentials', 'email_not_verified', 'csrf_failed'],
    input: z.strictObject({ email: MailboxInput, password: PasswordInput, otp: OtpInput.optional() }),
    output: Profile,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${AUTH}/session/`,
    access: 'account',
    summary: 'Sign out of the pages',
    description: 'Ends the session of the cookie, if there is one, and clears the cookie.',
    errors: ['csrf_failed'],
    input: z.strictObject({}),
    output: NoContent,
  }),
}

export const auth = { ...accounts, session, token: logins }
