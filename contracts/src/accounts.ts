import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { AUTH } from './paths.ts'
import { MailboxInput, Name, NewPasswordInput, text } from './schemas/primitives.ts'

const LINK_CHARACTERS = 128

/** The same whatever comes of it, so that nobody learns who has an account. */
const Accepted = z
  .object({ detail: z.string().meta({ description: 'What happens now, for people.', example: 'Look into your mailbox.' }) })
  .meta({ id: 'Accepted', description: 'The request is taken; what comes of it goes by e-mail.' })

const LinkToken = text(LINK_CHARACTERS, 1).meta({
  description: 'The token of the link that came by e-mail.',
  example: `lnk_${'0'.repeat(43)}`,
})

const signUp = operation({
  method: 'POST',
  path: `${AUTH}/signup/`,
  access: 'account',
  status: 202,
  summary: 'Sign up',
  description:
    'Makes an account and sends a link that confirms its address; before that nobody can sign in. If the address has an account already, its owner is told by e-mail, and the answer is the same. If it was signed up for before but never confirmed, both passwords are void and the link asks for a new one: nobody can choose the password of another before they come. At most one mail a minute goes to an address; until the next, signing up again changes nothing. A service that is closed to newcomers answers 404 `not_found`.',
  errors: ['not_found'],
  input: z.strictObject({
    email: MailboxInput,
    password: NewPasswordInput,
    name: Name.meta({ description: 'Display name.', example: 'Ada Lovelace' }),
  }),
  output: Accepted,
})

const verifyEmail = operation({
  method: 'POST',
  path: `${AUTH}/verify-email/`,
  access: 'account',
  summary: 'Confirm an e-mail address',
  description:
    'With the link that came by e-mail, within 24 hours. A link works once, and a newer one takes its place: then it is 401 `invalid_token`; one that is too old is 401 `token_expired`.',
  errors: ['invalid_token', 'token_expired'],
  input: z.strictObject({ token: LinkToken }),
  output: z
    .object({ email_verified: z.literal(true).meta({ description: 'The address is confirmed.' }) })
    .meta({ id: 'EmailVerification', description: 'An address was confirmed.' }),
})

const passwordReset = {
  create: operation({
    method: 'POST',
    path: `${AUTH}/password-reset/`,
    access: 'account',
    status: 202,
    summary: 'Ask for a new password',
    description: 'Sends a link to the address, if it has an account; the answer is the same if not. At most one mail a minute.',
    input: z.strictObject({ email: MailboxInput }),
    output: Accepted,
  }),
  confirm: operation({
    method: 'POST',
    path: `${AUTH}/password-reset/confirm/`,
    access: 'account',
    status: 204,
    summary: 'Choose a new password',
    description:
      'With the link that came by e-mail, within an hour; it confirms the address too. Ends every session and every log-in by password (JWT) of the account. Personal access tokens and applications that were allowed stay, and so does the second factor. A link works once, and a newer one takes its place: then it is 401 `invalid_token`; one that is too old is 401 `token_expired`.',
    errors: ['invalid_token', 'token_expired'],
    input: z.strictObject({ token: LinkToken, password: NewPasswordInput }),
    output: NoContent,
  }),
}

/** How one comes to have an account, and back into it. */
export const accounts = { signUp, verifyEmail, passwordReset }
