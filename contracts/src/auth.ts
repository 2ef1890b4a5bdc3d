import { z } from 'zod'
import { logIns } from './log-ins.ts'
import { NoContent, operation } from './operation.ts'
import { AUTH } from './paths.ts'
import { EmailInput, PasswordInput } from './primitives.ts'
import { Profile } from './profile.ts'

const session = {
  create: operation({
    method: 'POST',
    path: `${AUTH}/session/`,
    summary: 'Sign in to the pages',
    description:
      'Begins a session and sets its cookie. For the pages of this service alone: a request from another origin is 403 `csrf_failed`. A wrong password and an address without an account are the same 401 `invalid_credentials`.',
    errors: ['invalid_credentials', 'email_not_verified', 'csrf_failed'],
    input: z.strictObject({ email: EmailInput, password: PasswordInput }),
    output: Profile,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${AUTH}/session/`,
    summary: 'Sign out of the pages',
    description: 'Ends the session of the cookie, if there is one, and clears the cookie.',
    errors: ['csrf_failed'],
    input: z.strictObject({}),
    output: NoContent,
  }),
}

export const auth = { session, token: logIns }
