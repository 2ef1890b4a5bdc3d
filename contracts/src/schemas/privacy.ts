import { z } from 'zod'
import { durations } from '../durations.ts'
import { sizes } from '../limits.ts'
import { CreatedAt, Id, text, timestamp, UpdatedAt } from './primitives.ts'
import { TeamUser } from './profile.ts'

// Spelled out for every regular expression dialect of the OpenAPI document. No letter of an address needs an escape in JSON.
const PART = String.raw`[^\s@\x00-\x1f"<>(),:;\[\]\\]+`
const ADDRESS = { pattern: new RegExp(`^${PART}@${PART}$`), problem: 'must be an e-mail address' }

/** Input: the address of a person. In any script, because it may stand in a text that no form has checked. */
export const PersonEmail = text(sizes.emailCharacters, 3, ADDRESS).meta({
  description: 'E-mail address of the person. Case does not matter.',
  example: 'ada@example.com',
})

const count = (description: string) => z.int().meta({ description, example: 2 })

const PrivacyCounts = z
  .object({
    submissions: count('Submissions and testimonials.'),
    videos: count('Videos and their drafts.'),
    responses: count('Survey responses.'),
    invitations: count('Invitations to the team.'),
    import_rows: count('Rows of imports that failed.'),
    import_files: count('Files of imports.'),
    events: count('Events whose payload was about the person.'),
    deliveries: count('Deliveries of such events that were still to be sent, and are skipped.'),
    attempts: count('Attempts whose answer of the receiver was emptied.'),
    audit_entries: count('Entries of the audit log: emptied by an erasure, which keeps who did what and when.'),
    mails: count('Mails.'),
    stored_responses: count('Responses that were kept for idempotency keys.'),
  })
  .meta({ id: 'PrivacyCounts', description: 'What was found, or erased so far. Zero where nothing was found.' })

export const PrivacyRecipient = z
  .object({
    webhook_id: Id.meta({ description: 'The endpoint.' }),
    url: z.string().nullable().meta({ description: 'Address of the endpoint; null once the endpoint is deleted for good.' }),
    deliveries: z.int().meta({ description: 'How many deliveries about the person succeeded.' }),
    last_delivered_at: timestamp('Time of the last one.').nullable(),
  })
  .meta({
    id: 'PrivacyRecipient',
    description: `Another system that got copies by webhook in the last ${durations.deliveryDays} days. Ask its operator to erase them too.`,
  })

export const PrivacyRequest = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team.' }),
    kind: z.enum(['export', 'erase']).meta({ id: 'PrivacyRequestKind', description: 'What was requested.' }),
    state: z.enum(['running', 'completed']).meta({
      id: 'PrivacyRequestState',
      description:
        'An erasure runs until the last trace is gone: within a minute for a million records, longer while an import of the team runs.',
    }),
    counts: PrivacyCounts,
    recipients: z.array(PrivacyRecipient).meta({ description: 'Other systems that got copies. Of an erasure; empty for an export.' }),
    requested_by: TeamUser.nullable().meta({ description: 'The person who made the request; null for a deleted account.' }),
    completed_at: timestamp('Time when it was completed; null while it runs.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'PrivacyRequest', description: 'A privacy request, without the address of the person.' })
