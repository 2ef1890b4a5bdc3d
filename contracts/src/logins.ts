import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { AUTH } from './paths.ts'
import { MailboxInput, PasswordInput, text } from './schemas/primitives.ts'

const RefreshToken = text(2_048, 1).meta({
  description: 'A refresh token that was given out here.',
  example: 'svr_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd000000',
})

const TokenPair = z
  .object({
    access: z.string().meta({
      description:
        'Access token for `Authorization: Bearer`: a JWT of 15 minutes, signed with EdDSA, with every scope. It stops working at once when its log-in ends.',
    }),
    refresh: z.string().meta({ description: 'Refresh token, good for one use within 14 days. Keep it secret; it is shown once.' }),
  })
  .meta({ id: 'TokenPair', description: 'What a log-in goes on with.' })

/** Log-ins by password of first-party front ends, which go on by a pair of an access and a refresh token. */
export const logins = {
  create: operation({
    method: 'POST',
    path: `${AUTH}/token/`,
    access: 'account',
    summary: 'Log in for a pair of tokens',
    description:
      "For a front end of your own, against your own account. An account with a second factor gets 403 `mfa_enabled`, once the password is right: use a personal access token or OAuth2. A wrong password and an address without an account are the same 401 `invalid_credentials`. Needs a plan with API access, like every token, when it is used. The claims of the access token: `iss` is the service's address, `aud` the same with `/api/`, `sub` the user's id, `sid` the log-in.",
    errors: ['invalid_credentials', 'mfa_enabled', 'email_not_verified'],
    input: z.strictObject({ email: MailboxInput, password: PasswordInput }),
    output: TokenPair,
  }),
  refresh: operation({
    method: 'POST',
    path: `${AUTH}/token/refresh/`,
    access: 'account',
    summary: 'Exchange a refresh token for the next pair',
    description:
      'The refresh token is used up: its second use is 401 `invalid_token` and ends the log-in, with all its tokens, for somebody else may have it. So send one exchange at a time, and not again when its answer was lost. Access tokens given before go on until their own end.',
    counts: 'failures',
    errors: ['token_expired'],
    input: z.strictObject({ refresh: RefreshToken }),
    output: TokenPair,
  }),
  revoke: operation({
    method: 'POST',
    path: `${AUTH}/token/revoke/`,
    access: 'account',
    summary: 'Log out',
    description:
      'Ends the log-in of the refresh token: its access tokens stop working at once. An unknown token, or one whose log-in has ended, is 204 too: there is nothing left to end (RFC 7009 §2.2). It counts as a request that fails.',
    status: 204,
    counts: 'failures',
    input: z.strictObject({ refresh: RefreshToken }),
    output: NoContent,
  }),
}
