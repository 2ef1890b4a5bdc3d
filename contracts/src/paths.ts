import { z } from 'zod'
import { Id, text } from './schemas/primitives.ts'

/** Prefixes of paths, as literals: what a handler knows of its caller is computed from them. */
export const ME = '/api/v1/me'
export const TEAMS = '/api/v1/teams'
export const TEAM = `${TEAMS}/{team_id}` as const
export const PROJECT = `${TEAM}/projects/{project_id}` as const
export const INVITATIONS = '/api/v1/invitations'
export const AUTH = '/api/auth'
export const PUBLIC = '/api/public/v1'
export const PUBLIC_PROJECT = `${PUBLIC}/projects/{public_key}` as const

/** Inputs that carry nothing but the path's own fields. */
export const TeamRef = z.strictObject({ team_id: Id.meta({ description: 'The team.' }) })
export const ProjectRef = TeamRef.extend({ project_id: Id.meta({ description: 'The project, inside the team.' }) })
export const PublicKeyRef = z.strictObject({
  public_key: text(64, 1).meta({
    description: 'The public key: identifies the project, never authorizes.',
    example: 'pk_3vQw8sYkT2mLr9XbN4cJdH7f',
  }),
})
