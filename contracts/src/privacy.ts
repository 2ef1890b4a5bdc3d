import { z } from 'zod'
import { Invitation } from './invitations.ts'
import { operation } from './operation.ts'
import { TEAM, TeamRef } from './paths.ts'
import { ImportRow } from './schemas/import.ts'
import { Cursor, Id, listOf, ownNames, Page, strangersWords, timestamp } from './schemas/primitives.ts'
import { PersonEmail, PrivacyRecipient, PrivacyRequest } from './schemas/privacy.ts'
import { SurveyResponse } from './schemas/survey-response.ts'
import { Video } from './schemas/video.ts'
import { ExportedSubmission } from './submissions/submissions.ts'

const PRIVACY = `${TEAM}/privacy` as const

const ExportedImportRow = ImportRow.extend({ import_id: Id.meta({ description: 'The import.' }) }).meta({
  id: 'ExportedImportRow',
  description: 'A row of an import that failed and names the person.',
})

const ExportedAuditEntry = z
  .object({
    id: Id,
    action: z.string().meta({ description: 'The action.', example: 'submission.updated' }),
    target: z
      .object({ type: z.string().meta({ description: 'Type of the resource.', example: 'submission' }), id: Id.nullable() })
      .meta({ description: 'The changed resource.' }),
    changes: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Each changed field with `from` and `to`.' })
      .register(strangersWords)
      // A field, then `from` and `to`.
      .register(ownNames, { levels: 2 }),
    at: timestamp('Time of the change.'),
  })
  .meta({ id: 'ExportedAuditEntry', description: 'An entry of the audit log that names the person.' })

const Mention = z
  .object({
    type: z.enum(['submission', 'video', 'response']).meta({ id: 'MentionType', description: 'Type of the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    id: Id,
  })
  .meta({ id: 'Mention', description: 'A record of another person that names the address.' })

const PersonalData = z
  .object({
    request_id: Id.meta({ description: 'The privacy request, the same on all pages.' }),
    submissions: z
      .array(ExportedSubmission)
      .meta({ description: 'Submissions and testimonials of the person. Their URLs lead to pictures.' }),
    videos: z.array(Video).meta({
      description: "Videos of the person and of the person's submissions, with their drafts. The links to the files are valid for an hour.",
    }),
    responses: z.array(SurveyResponse).meta({ description: 'Survey responses of the person.' }),
    invitations: z.array(Invitation).meta({ description: 'Invitations of the person to the team.' }),
    import_rows: z.array(ExportedImportRow).meta({ description: 'Rows of imports that failed and name the person.' }),
    audit_entries: z.array(ExportedAuditEntry).meta({ description: 'Entries of the audit log that name the person.' }),
    mentions: z
      .array(Mention)
      .meta({ description: 'Records of other people that name the address. Decide what of them the person may see.' }),
    events: z.int().meta({ description: 'How many stored events have copies of these records.' }),
    recipients: z
      .array(PrivacyRecipient)
      .meta({ description: 'Other systems that got these events. An endpoint may be on several pages.' }),
    next_cursor: z.string().nullable().meta({ description: 'Pass it as `cursor` with the same address to go on. Null on the last page.' }),
  })
  .meta({ id: 'PersonalData', description: 'A page of what a person left.' })

export const privacy = {
  export: operation({
    method: 'POST',
    path: `${PRIVACY}/export/`,
    summary: 'Export what a person left',
    description:
      'Returns everything that the team keeps of a person, found by the e-mail address: first what has it as the address of its author, then what has it anywhere else in its text. E-mail addresses are shown whatever the scopes. A page ends after five seconds or 500 records, and may be empty before the last one. The request is recorded in the audit log, without the address.',
    scope: 'write:privacy',
    role: 'admin',
    feature: 'privacy_requests',
    isUnmasked: true,
    errors: ['invalid_cursor'],
    input: TeamRef.extend({ email: PersonEmail, cursor: Cursor.optional() }),
    output: PersonalData,
  }),
  erase: operation({
    method: 'POST',
    path: `${PRIVACY}/erase/`,
    hints: { destructive: true },
    summary: 'Erase what a person left',
    description:
      "Removes a person from submissions, videos, responses, invitations, imports, mails, payloads of events and deliveries, answers of receivers, values of the audit log, stored responses and the search index, for good. Records that name the address as their author's are gone when the response arrives; a job removes the rest, and the files of videos. Records of other people stay, and the address in them is replaced by `[erased]`. Events that are not delivered yet are not sent. Later imports leave the person out. Returns the receipt; while an erasure of the same person runs, returns that one. Accounts of members are not erased.",
    scope: 'write:privacy',
    role: 'admin',
    feature: 'privacy_requests',
    input: TeamRef.extend({ email: PersonEmail }),
    output: PrivacyRequest,
  }),
  requests: {
    list: operation({
      method: 'GET',
      path: `${PRIVACY}/requests/`,
      summary: 'List privacy requests',
      description: 'Lists the exports and erasures of the team, which are kept as proof. They do not name the persons.',
      scope: 'write:privacy',
      role: 'admin',
      feature: 'privacy_requests',
      input: TeamRef.extend(Page.shape),
      output: listOf('PrivacyRequest', PrivacyRequest),
    }),
    retrieve: operation({
      method: 'GET',
      path: `${PRIVACY}/requests/{request_id}/`,
      summary: 'Retrieve a privacy request',
      description: 'Shows how far an erasure came, and who got copies.',
      scope: 'write:privacy',
      role: 'admin',
      feature: 'privacy_requests',
      input: TeamRef.extend({ request_id: Id.meta({ description: 'The privacy request.' }) }),
      output: PrivacyRequest,
    }),
  },
}
