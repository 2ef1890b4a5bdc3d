import { contracts } from '@earshot/contracts'
import {
  erasePerson,
  exportPerson,
  findPrivacyRequest,
  listPrivacyRequests,
  type PersonalDataPage,
  type PrivacyRequestRow,
  personalNouns,
  personMessage,
  presentInvitation,
  presentResponse,
  type RecipientRow,
  toTimestamp,
} from '@earshot/db'
import { makeId } from './auth/token-values.ts'
import { implement } from './http/implement.ts'
import type { HandlerServices } from './services.ts'
import { presentExported } from './submissions/columns.ts'
import { presentVideoTo } from './videos/present.ts'

export const privacy = implement(contracts.privacy, {
  export: async ({ ctx, input }) => {
    const request = { ...input, ...identify(ctx.services, input), request_id: makeId() }
    const page = await exportPerson(ctx.tx, ctx.actor, request)
    return { ...presentPersonalData(page), videos: page.videos.map((row) => presentVideoTo(ctx, row)) }
  },
  erase: async ({ ctx, input }) => {
    const request_id = makeId()
    const sealed_email = ctx.services.secretBox.seal('person', input.email, request_id)
    const request = { ...input, ...identify(ctx.services, input), request_id, sealed_email }
    return presentRequest(await erasePerson(ctx.tx, ctx.actor, request))
  },
  requests: {
    list: ({ ctx, input }) => listPrivacyRequests(ctx.tx, input, presentRequest),
    retrieve: async ({ ctx, input }) => presentRequest(await findPrivacyRequest(ctx.tx, input)),
  },
})

/** Returns the MAC that stands for a person of a team. */
function identify({ secretBox }: HandlerServices, { team_id, email }: { team_id: string; email: string }) {
  return { person_mac: secretBox.mac('person', personMessage(team_id, email)) }
}

function presentRequest(row: PrivacyRequestRow) {
  return {
    id: row.id,
    team_id: row.team_id,
    kind: row.kind,
    state: row.state,
    counts: presentCounts(row),
    recipients: row.recipients.map(presentRecipient),
    requested_by: row.requested_by,
    completed_at: toTimestamp(row.completed_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

function presentCounts({ counts }: PrivacyRequestRow) {
  // Every noun has its entry.
  return Object.fromEntries(personalNouns.map((noun) => [noun, counts[noun] ?? 0])) as Record<(typeof personalNouns)[number], number>
}

function presentRecipient({ webhook_id, url, deliveries, last_delivered_at }: RecipientRow) {
  return { webhook_id, url, deliveries, last_delivered_at: toTimestamp(last_delivered_at) }
}

function presentPersonalData(page: PersonalDataPage) {
  return {
    request_id: page.request_id,
    submissions: page.submissions.map(presentExported),
    responses: page.responses.map(presentResponse),
    invitations: page.invitations.map(presentInvitation),
    import_rows: page.import_rows.map((row) => ({
      id: row.id,
      import_id: row.import_id,
      row: row.row_number,
      line: row.line,
      column: row.column_name,
      code: row.code,
      detail: row.detail,
      text: row.row_text,
    })),
    audit_entries: page.audit_entries.map((row) => ({
      id: row.id,
      action: row.action,
      target: { type: row.target_type, id: row.target_id },
      changes: row.changes,
      at: toTimestamp(row.created_at),
    })),
    mentions: page.mentions,
    events: page.events,
    recipients: page.recipients.map(presentRecipient),
    next_cursor: page.next_cursor,
  }
}
