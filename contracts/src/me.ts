import { z } from 'zod'
import { authorizations } from './authorizations.ts'
import { mfa } from './mfa.ts'
import { notifications } from './notifications.ts'
import { NoContent, operation } from './operation.ts'
import { ME } from './paths.ts'
import { Plan } from './plans.ts'
import { Role } from './roles.ts'
import {
  CreatedAt,
  HttpUrl,
  Id,
  instant,
  Language,
  listOf,
  Name,
  NewPasswordInput,
  Page,
  PasswordInput,
  TimeZone,
  timestamp,
  UpdatedAt,
} from './schemas/primitives.ts'
import { Profile } from './schemas/profile.ts'
import { Scope } from './scopes.ts'
import { sessions } from './sessions.ts'

/** The four kinds of credential. */
export const CredentialKind = z
  .enum(['pat', 'oauth2', 'jwt', 'session'])
  .meta({ id: 'CredentialKind', description: 'Kind of credential: personal access token, OAuth2 access token, JWT or session.' })
export type CredentialKind = z.infer<typeof CredentialKind>

export const TeamMembership = z
  .object({ id: Id, name: z.string().meta({ description: 'Name of the team.' }), role: Role, plan: Plan })
  .meta({ id: 'TeamMembership', description: 'A team that you are a member of.' })

const Identity = z
  .object({
    user: Profile,
    credential: z
      .object({
        kind: CredentialKind,
        id: Id,
        scopes: z.array(Scope).meta({ description: 'Scopes of the credential.' }),
        expires_at: timestamp('Time of expiry; null if it does not expire.').nullable(),
      })
      .meta({ id: 'Credential', description: 'The credential of the request.' }),
    teams: z.array(TeamMembership).meta({ description: 'The teams that you are a member of.' }),
  })
  .meta({ id: 'Identity', description: 'The user, credential and teams of a request.' })

const tokenFields = {
  id: Id,
  name: z.string().meta({ description: 'Name of the token.', example: 'CI' }),
  scopes: z.array(Scope).meta({ description: 'Scopes of the token.' }),
  hint: z.string().meta({ description: 'The last four characters of the value.', example: 'x9Qz' }),
  expires_at: timestamp('Time of expiry; null if it does not expire.').nullable(),
  last_used_at: timestamp('Time of last use, to the minute; null if never used.').nullable(),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const Token = z.object(tokenFields).meta({ id: 'Token', description: 'A personal access token, without its value.' })

const CreatedToken = z
  .object({ ...tokenFields, token: z.string().meta({ description: 'The value of the token, starting with svc_. It is shown only once.' }) })
  .meta({ id: 'CreatedToken', description: 'A new personal access token with its value.' })

const tokens = {
  list: operation({
    method: 'GET',
    path: `${ME}/tokens/`,
    summary: 'List your personal access tokens',
    scope: 'read:tokens',
    input: Page,
    output: listOf('Token', Token),
  }),
  create: operation({
    method: 'POST',
    path: `${ME}/tokens/`,
    status: 201,
    hints: { showsSecret: true },
    summary: 'Create a personal access token',
    description:
      'The value of the token is shown only in this response. A token can only create tokens with a subset of its own scopes that expire no later than itself. Deleting a token also deletes the tokens it created.',
    scope: 'write:tokens',
    input: z.strictObject({
      name: Name.meta({ description: 'Name of the token.', example: 'CI' }),
      scopes: z.array(Scope).min(1).max(64).meta({ description: 'Scopes of the token.' }),
      expires_at: instant('Time of expiry. By default, the token does not expire.').nullable().optional(),
    }),
    output: CreatedToken,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${ME}/tokens/{token_id}/`,
    summary: 'Delete a personal access token',
    description: 'The token and the tokens it created stop working at once.',
    scope: 'write:tokens',
    input: z.strictObject({ token_id: Id.meta({ description: 'The token.' }) }),
    output: NoContent,
  }),
}

export const me = {
  retrieve: operation({
    method: 'GET',
    path: `${ME}/`,
    summary: 'Retrieve your identity',
    description: 'Returns the user, the credential with its scopes, and the teams with role and plan.',
    input: z.strictObject({}),
    output: Identity,
  }),
  update: operation({
    method: 'PATCH',
    path: `${ME}/`,
    summary: 'Update your profile',
    description: 'JSON Merge Patch (RFC 7396): omitted fields stay unchanged. Sends `user.profile.updated` to your teams.',
    scope: 'write:profile',
    input: z.strictObject({
      name: Name.optional().meta({ description: 'Display name.', example: 'Ada Lovelace' }),
      avatar_url: HttpUrl.nullable().optional().meta({ description: 'Address of the picture.' }),
      locale: Language.optional(),
      timezone: TimeZone.optional(),
    }),
    output: Profile,
  }),
  changePassword: operation({
    method: 'POST',
    path: `${ME}/password/`,
    reauthenticates: true,
    status: 204,
    summary: 'Change your password',
    description:
      'Requires your current password; attempts are limited like those to sign in. Ends your other sessions and password logins (JWT); the current session continues with a new cookie. Personal access tokens and authorized applications stay.',
    scope: 'write:profile',
    errors: ['invalid_credentials'],
    input: z.strictObject({ password: PasswordInput, new_password: NewPasswordInput.meta({ example: 'seven otters dance at dawn' }) }),
    output: NoContent,
  }),
  mfa,
  tokens,
  sessions,
  authorizations,
  notifications,
}
