import { z } from 'zod'
import { ContactEmail, CreatedAt, Id, UpdatedAt } from './primitives.ts'

/** A user as the user sees it. The address is the caller's own, so it carries no mark. */
export const Profile = z
  .object({
    id: Id,
    email: z.string().meta({ description: 'Your e-mail address.', example: 'owner@example.com' }),
    email_verified: z.boolean().meta({ description: 'Whether the address was confirmed.' }),
    name: z.string().meta({ description: 'Display name.', example: 'Ada Lovelace' }),
    avatar_url: z.string().nullable().meta({ description: 'Picture.' }),
    locale: z.string().meta({ description: 'BCP 47 language tag for mails and pages.', example: 'en' }),
    timezone: z.string().meta({ description: 'IANA time zone.', example: 'Europe/Berlin' }),
    mfa_enabled: z.boolean().meta({ description: 'Whether sign-in asks for a second factor.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Profile', description: 'The signed-in user.' })

/** A user as others on the team see it. */
export const TeamUser = z
  .object({
    id: Id,
    name: z.string().meta({ description: 'Display name.' }),
    email: ContactEmail,
    avatar_url: z.string().nullable().meta({ description: 'Picture.' }),
  })
  .meta({ id: 'TeamUser', description: 'A user as others on the team see it.' })
