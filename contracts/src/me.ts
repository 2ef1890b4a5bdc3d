import { z } from 'zod'
import { authorizations } from './authorizations.ts'
import { mfa } from './mfa.ts'
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

/** The four ways to say who one is. */
export const CredentialKind = z
  .enum(['pat', 'oauth2', 'jwt', 'session'])
  .meta({ id: 'CredentialKind', description: 'Personal access token, OAuth2 access token, JWT or session.' })
export type CredentialKind = z.infer<typeof CredentialKind>

export const TeamMembership = z
  .object({ id: Id, name: z.string().meta({ description: 'Name of the team.' }), role: Role, plan: Plan })
  .meta({ id: 'TeamMembership', description: 'A team that you belong to.' })

const Identity = z
  .object({
    user: Profile,
    credential: z
      .object({
        kind: CredentialKind,
        id: Id,
        scopes: z.array(Scope).meta({ description: 'What the credential may touch.' }),
        expires_at: timestamp('When it ends; null if it does not.').nullable(),
      })
      .meta({ id: 'Credential', description: 'What the request was signed in with.' }),
    teams: z.array(TeamMembership).meta({ description: 'The teams that you belong to.' }),
  })
  .meta({ id: 'Identity', description: 'Who the caller is, with what, and where.' })

const tokenFields = {
  id: Id,
  name: z.string().meta({ description: 'What you called it.', example: 'CI' }),
  scopes: z.array(Scope).meta({ description: 'What it may touch.' }),
  hint: z.string().meta({ description: 'The last four characters of the value.', example: 'x9Qz' }),
  expires_at: timestamp('When it ends; null if it does not.').nullable(),
  last_used_at: timestamp('Last use, to the minute; null if never.').nullable(),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const Token = z.object(tokenFields).meta({ id: 'Token', description: 'A personal access token, without its value.' })

const CreatedToken = z
  .object({ ...tokenFields, token: z.string().meta({ description: 'The value, starting with svc_. This is the only time it is shown.' }) })
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
    summary: 'Create a personal access token',
    description:
      'The value is in this answer and nowhere else. A token can only create tokens whose scopes are among its own and which expire no later; deleting it deletes those it made.',
    scope: 'write:tokens',
    input: z.strictObject({
      name: Name.meta({ description: 'What to call it.', example: 'CI' }),
      scopes: z.array(Scope).min(1).max(64).meta({ description: 'What it may touch.' }),
      expires_at: instant('When it ends; never if absent.').nullable().optional(),
    }),
    output: CreatedToken,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${ME}/tokens/{token_id}/`,
    summary: 'Delete a personal access token',
    description: 'It stops working with the next request, and so do the tokens that it made.',
    scope: 'write:tokens',
    input: z.strictObject({ token_id: Id.meta({ description: 'The token.' }) }),
    output: NoContent,
  }),
}

export const me = {
  retrieve: operation({
    method: 'GET',
    path: `${ME}/`,
    summary: 'Show who you are',
    description: 'The user, the credential with its scopes, and the teams with role and plan.',
    input: z.strictObject({}),
    output: Identity,
  }),
  update: operation({
    method: 'PATCH',
    path: `${ME}/`,
    summary: 'Change your profile',
    description: 'JSON Merge Patch (RFC 7396): fields that are absent stay. Your teams hear of it by `user.profile.updated`.',
    scope: 'write:profile',
    input: z.strictObject({
      name: Name.optional().meta({ description: 'Display name.', example: 'Ada Lovelace' }),
      avatar_url: HttpUrl.nullable().optional().meta({ description: 'Picture.' }),
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
      'Asks for the present one; tries are limited like those to sign in. Ends your other sessions and log-ins by password (JWT); the session that asks goes on under a new cookie. Personal access tokens and applications that you allowed stay.',
    scope: 'write:profile',
    errors: ['invalid_credentials'],
    input: z.strictObject({ password: PasswordInput, new_password: NewPasswordInput }),
    output: NoContent,
  }),
  mfa,
  tokens,
  sessions,
  authorizations,
}
