import { z } from 'zod'
import { durations } from './durations.ts'
import { NoContent, operation } from './operation.ts'
import { AUTH } from './paths.ts'
import { MailboxInput, PasswordInput, text } from './schemas/primitives.ts'

const RefreshToken = text(2_048, 1).meta({
  description: 'A refresh token from this service.',
  example: 'svr_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd000000',
})

const TokenPair = z
  .object({
    access: z.string().meta({
      description: `Access token for \`Authorization: Bearer\`: a JWT with every scope, valid for ${durations.accessJwtMinutes} minutes and signed with EdDSA. It stops working at once when its login ends.`,
    }),
    refresh: z
      .string()
      .meta({ description: `Refresh token, valid once within ${durations.loginRefreshDays} days. Keep it secret. It is shown only once.` }),
  })
  .meta({ id: 'TokenPair', description: 'The tokens of a login.' })

/** Password logins of first-party front ends, which use a pair of an access and a refresh token. */
export const logins = {
  create: operation({
    method: 'POST',
    path: `${AUTH}/token/`,
    access: 'account',
    summary: 'Create a pair of tokens',
    description:
      'Logs in by password, for a front end of your own and your own account. A wrong password and an unknown address both return 401 `invalid_credentials`. An account with two-factor authentication returns 403 `mfa_enabled` for the correct password: use a personal access token or OAuth2 instead. Wrong passwords are limited as for sessions; a program has no device cookie, so others can lock it out for up to an hour. Like every token, the access token needs a plan with API access. Its claims: `iss` is the address of the service, `aud` the same with `/api/`, `sub` the id of the user, `sid` the login.',
    errors: ['invalid_credentials', 'mfa_enabled', 'email_not_verified'],
    input: z.strictObject({ email: MailboxInput, password: PasswordInput }),
    output: TokenPair,
  }),
  refresh: operation({
    method: 'POST',
    path: `${AUTH}/token/refresh/`,
    access: 'account',
    summary: 'Refresh a pair of tokens',
    description:
      'Exchanges a refresh token for the next pair. A refresh token works once: a second use returns 401 `invalid_token` and ends the login with all its tokens, because the token may be stolen. Send one exchange at a time, and do not retry one whose response was lost. Earlier access tokens stay valid until they expire.',
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
      'Ends the login of the refresh token; its access tokens stop working at once. An unknown token, or one whose login has ended, also returns 204 (RFC 7009 §2.2) and counts as a failed request.',
    status: 204,
    counts: 'failures',
    input: z.strictObject({ refresh: RefreshToken }),
    output: NoContent,
  }),
}
