import { z } from 'zod'
import { ContactEmail, CreatedAt, Id, UpdatedAt } from './primitives.ts'

/** The signed-in user. The address is the caller's own, so it is not masked. */
export const Profile = z
  .object({
    id: Id,
    email: z.string().meta({ description: 'Your e-mail address.', example: 'owner@example.com' }),
    email_verified: z.boolean().meta({ description: 'Whether the e-mail address is confirmed.' }),
    name: z.string().meta({ description: 'Display name.', example: 'Ada Lovelace' }),
    avatar_url: z.string().nullable().meta({ description: 'Address of the picture.' }),
    locale: z.string().meta({ description: 'BCP 47 language tag for mails and pages.', example: 'en' }),
    timezone: z.string().meta({ description: 'IANA time zone.', example: 'Europe/Berlin' }),
    mfa_enabled: z.boolean().meta({ description: 'Whether two-factor authentication is on.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Profile', description: 'The signed-in user.' })

/** A user as other members of the team see them. */
export const TeamUser = z
  .object({
    id: Id,
    name: z.string().meta({ description: 'Display name.' }),
    email: ContactEmail,
    avatar_url: z.string().nullable().meta({ description: 'Address of the picture.' }),
  })
  .meta({ id: 'TeamUser', description: 'A user, as other members of the team see them.' })
