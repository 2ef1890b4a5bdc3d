import { z } from 'zod'
import { durations } from './durations.ts'
import { NoContent, operation } from './operation.ts'
import { AUTH } from './paths.ts'
import { MailboxInput, Name, NewPasswordInput, text } from './schemas/primitives.ts'

const LINK_CHARACTERS = 128

/** The same for every address, so that nobody learns which addresses have an account. */
const Accepted = z
  .object({ detail: z.string().meta({ description: 'What to do next, for people.', example: 'Check your inbox.' }) })
  .meta({ id: 'Accepted', description: 'The request was accepted. The result is sent by e-mail.' })

const LinkToken = text(LINK_CHARACTERS, 1).meta({
  description: 'Token from the link in the e-mail.',
  example: `lnk_${'0'.repeat(43)}`,
})

const signUp = operation({
  method: 'POST',
  path: `${AUTH}/signup/`,
  access: 'account',
  status: 202,
  summary: 'Sign up',
  description:
    'E-mails a link that confirms the address. Who opens it chooses the password, so that nobody can choose one for another person; then you can sign in. If the address already has an account, its owner gets an e-mail and the response is the same. If the address signed up before but was never confirmed, a new link replaces the last one. An address gets at most one e-mail a minute; until the next one, signing up again has no effect. Returns 404 `not_found` if sign-up is closed.',
  errors: ['not_found'],
  input: z.strictObject({
    email: MailboxInput,
    password: NewPasswordInput.optional().meta({ description: 'Has no effect: the link in the e-mail leads to choosing a password.' }),
    name: Name.meta({ description: 'Display name.', example: 'Ada Lovelace' }),
  }),
  output: Accepted,
})

const verifyEmail = operation({
  method: 'POST',
  path: `${AUTH}/verify-email/`,
  access: 'account',
  summary: 'Confirm an e-mail address',
  description: `Takes the token from the link in the e-mail, valid for ${durations.emailVerificationHours} hours, and sets the password of the account. A link works once, and a newer link replaces it: then it returns 401 \`invalid_token\`. An expired link returns 401 \`token_expired\`.`,
  errors: ['invalid_token', 'token_expired'],
  input: z.strictObject({ token: LinkToken, password: NewPasswordInput }),
  output: z
    .object({ email_verified: z.literal(true).meta({ description: 'Whether the address is confirmed.' }) })
    .meta({ id: 'EmailVerification', description: 'A confirmed e-mail address.' }),
})

const passwordReset = {
  create: operation({
    method: 'POST',
    path: `${AUTH}/password-reset/`,
    access: 'account',
    status: 202,
    summary: 'Request a password reset',
    description:
      'E-mails a link to the address if it has an account. The response is the same if it has none. An address gets at most one e-mail a minute.',
    input: z.strictObject({ email: MailboxInput }),
    output: Accepted,
  }),
  confirm: operation({
    method: 'POST',
    path: `${AUTH}/password-reset/confirm/`,
    access: 'account',
    status: 204,
    summary: 'Reset a password',
    description: `Takes the token from the link in the e-mail, valid for ${durations.passwordResetHours} hour, and sets a new password. Also confirms the address. Ends every session and password login (JWT) of the account; personal access tokens and authorized applications stay unless you set \`revoke_tokens\`, and two-factor authentication stays. A link works once, and a newer link replaces it: then it returns 401 \`invalid_token\`. An expired link returns 401 \`token_expired\`.`,
    errors: ['invalid_token', 'token_expired'],
    input: z.strictObject({
      token: LinkToken,
      password: NewPasswordInput,
      revoke_tokens: z.boolean().default(false).meta({
        description: 'Whether to delete your personal access tokens and revoke your authorized applications too.',
      }),
    }),
    output: NoContent,
  }),
}

/** Operations that create an account and recover it. */
export const accounts = { signUp, verifyEmail, passwordReset }
