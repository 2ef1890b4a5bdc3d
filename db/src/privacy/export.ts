import { ApiError } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import type { InvitationRow } from '../invitations/row.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { decodeTextCursor, encodeTextCursor } from '../sql/pages.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import type { FailedRow } from '../tables/imports.ts'
import type { StoredRecipient } from '../tables/privacy.ts'
import type { SubmissionRow } from '../tables/submissions.ts'
import type { ResponseRow } from '../tables/surveys.ts'
import type { CaptionedVideo } from '../videos/videos.ts'
import { findRecipients, mergeRecipients } from './deliveries.ts'
import type { PersonRequest } from './erase.ts'
import { scanEvents } from './events.ts'
import { type Person, personOf } from './person.ts'
import { insertRequest, noteExported, type RecipientRow, withUrls } from './requests.ts'
import { listOwnResponses, scanResponses } from './responses.ts'
import { beginning, type Position } from './scan.ts'
import { listOwnSubmissions, scanSubmissions } from './submissions.ts'
import { type AuditEntryRow, findInvitations, scanAuditEntries, scanImportRows } from './traces.ts'
import { listOwnVideos, scanVideos } from './videos.ts'

/** A page ends after so much time, or with so many records: a large team is searched over several pages. */
const MAX_MS = 5_000
const MAX_RECORDS = 500

/** What a page of an export found. */
interface PersonalData {
  submissions: SubmissionRow[]
  videos: CaptionedVideo[]
  responses: ResponseRow[]
  invitations: InvitationRow[]
  import_rows: FailedRow[]
  audit_entries: AuditEntryRow[]
  /** Records of other people that name the address. */
  mentions: { type: 'submission' | 'video' | 'response'; project_id: string; id: string }[]
  events: number
  recipients: StoredRecipient[]
}

export type PersonalDataPage = Omit<PersonalData, 'recipients'> & {
  request_id: string
  recipients: RecipientRow[]
  next_cursor: string | null
}

interface Search {
  team_id: string
  request_id: string
  person: Person
  position: Position
}

/** A step adds what it finds to the page, and returns where it goes on; null at its end. */
type Step = { begin: Position; run: (tx: Tx, search: Search, page: PersonalData) => Promise<Position | null> }

/** First what the indexes find: of a large team the person's own records are on the first page. */
const steps: readonly Step[] = [
  {
    begin: beginning(1),
    async run(tx, { person, position }, page) {
      const { rows, next } = await listOwnSubmissions(tx, { ...person, position })
      page.submissions.push(...rows)
      return next
    },
  },
  {
    begin: beginning(1),
    async run(tx, { person, position }, page) {
      const { rows, next } = await listOwnVideos(tx, { ...person, position })
      page.videos.push(...rows)
      return next
    },
  },
  {
    begin: beginning(1),
    async run(tx, { person, position }, page) {
      const { rows, next } = await listOwnResponses(tx, { ...person, position })
      page.responses.push(...rows)
      return next
    },
  },
  {
    begin: [],
    async run(tx, { person }, page) {
      page.invitations.push(...(await findInvitations(tx, person)))
      return null
    },
  },
  {
    begin: beginning(2),
    async run(tx, { person, position }, page) {
      const { rows, next } = await scanSubmissions(tx, { ...person, position })
      sort(rows, { own: page.submissions, mentions: page.mentions, type: 'submission' })
      return next
    },
  },
  {
    begin: beginning(2),
    async run(tx, { person, position }, page) {
      const { rows, next } = await scanVideos(tx, { ...person, position })
      sort(rows, { own: page.videos, mentions: page.mentions, type: 'video' })
      return next
    },
  },
  {
    begin: beginning(3),
    async run(tx, { person, position }, page) {
      const { rows, next } = await scanResponses(tx, { ...person, position })
      sort(rows, { own: page.responses, mentions: page.mentions, type: 'response' })
      return next
    },
  },
  {
    begin: beginning(3),
    async run(tx, { person, position }, page) {
      const { rows, next } = await scanImportRows(tx, { ...person, position })
      page.import_rows.push(...rows)
      return next
    },
  },
  {
    begin: beginning(1),
    async run(tx, { person, request_id, position }, page) {
      const { rows, next } = await scanAuditEntries(tx, { ...person, request_id, position })
      page.audit_entries.push(...rows)
      return next
    },
  },
  {
    begin: beginning(1),
    async run(tx, { team_id, person, request_id, position }, page) {
      const { rows, next } = await scanEvents(tx, { ...person, request_id, position })
      page.events += rows.length
      page.recipients = mergeRecipients(page.recipients, await findRecipients(tx, team_id, rows))
      return next
    },
  },
]

/** The records that an index found are on an earlier page; deleted ones are on their way out, and on none. */
function sort<Row extends { project_id: string; id: string; deleted_at: string | null }>(
  rows: (Row & { verdict: string })[],
  { own, mentions, type }: { own: Row[]; mentions: PersonalData['mentions']; type: PersonalData['mentions'][number]['type'] },
): void {
  const present = rows.filter(({ deleted_at }) => deleted_at === null)
  own.push(...present.filter(({ verdict }) => verdict === 'own'))
  mentions.push(...present.filter(({ verdict }) => verdict === 'other').map(({ project_id, id }) => ({ type, project_id, id })))
}

const addUrls = statement<{ team_id: string; recipients: string }, { recipients: RecipientRow[] }>(
  (p) => sql`
  select ${withUrls(sql`${p.recipients}::jsonb`, sql`${p.team_id}::uuid`)} as recipients`,
)

/**
 * Returns a page of what a person left in a team. The first page makes a request and an entry of the audit log, without the address;
 * the next ones belong to it. Throws `invalid_cursor`.
 */
export async function exportPerson(
  tx: Tx,
  actor: Actor,
  { cursor, ...request }: PersonRequest & { cursor?: string | undefined },
): Promise<PersonalDataPage> {
  const { team_id, email } = request
  const begun = cursor === undefined ? { request_id: request.request_id, step: 0, position: [] } : decodeCursor(cursor)
  const { request_id } = begun
  if (cursor === undefined) await begin(tx, actor, request)
  const { page, next } = await collect(tx, { team_id, request_id, person: personOf(team_id, email) }, begun)
  if (!(await noteExported(tx, { ...request, request_id }, countsOf(page)))) throw new ApiError('invalid_cursor')
  const { recipients } = onlyOne(await addUrls(tx, { team_id, recipients: JSON.stringify(page.recipients) }))
  return { ...page, request_id, recipients, next_cursor: next && encodeCursor({ request_id, ...next }) }
}

function begin(tx: Tx, actor: Actor, { email: _email, ...request }: PersonRequest): Promise<void> {
  const { team_id, request_id: target_id } = request
  return transaction(tx, async (tx) => {
    await insertRequest(tx, { ...request, kind: 'export', sealed_email: null, requested_by: actor.userId }, null)
    await recordAudit(tx, actor, { team_id, action: 'privacy.exported', target: 'privacy_request', target_id })
  })
}

type Place = { step: number; position: Position }

async function collect(tx: Tx, search: Omit<Search, 'position'>, from: Place): Promise<{ page: PersonalData; next: Place | null }> {
  const page: PersonalData = {
    ...{ submissions: [], videos: [], responses: [], invitations: [], import_rows: [], audit_entries: [], mentions: [] },
    ...{ events: 0, recipients: [] },
  }
  const startedAtMs = performance.now()
  let place: Place | null = from
  while (place !== null) {
    place = await runStep(tx, search, { page, place })
    const { submissions, videos, responses, import_rows, audit_entries } = page
    const records = [submissions, videos, responses, import_rows, audit_entries].reduce((sum, { length }) => sum + length, 0)
    if (records >= MAX_RECORDS || performance.now() - startedAtMs > MAX_MS) break
  }
  return { page, next: place }
}

async function runStep(
  tx: Tx,
  search: Omit<Search, 'position'>,
  { page, place: { step, position } }: { page: PersonalData; place: Place },
): Promise<Place | null> {
  const current = steps[step]
  if (!current) return null
  const next = await current.run(tx, { ...search, position: position.length > 0 ? position : current.begin }, page)
  if (next) return { step, position: next }
  return step + 1 < steps.length ? { step: step + 1, position: [] } : null
}

function countsOf({ submissions, videos, responses, invitations, import_rows, audit_entries, events }: PersonalData) {
  return {
    submissions: submissions.length,
    videos: videos.length,
    responses: responses.length,
    invitations: invitations.length,
    import_rows: import_rows.length,
    audit_entries: audit_entries.length,
    events,
  }
}

type Cursor = Place & { request_id: string }

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function encodeCursor({ request_id, step, position }: Cursor): string {
  return encodeTextCursor([request_id, step, ...position].join(' '))
}

/** Throws `invalid_cursor` for anything that `encodeCursor` does not make. */
function decodeCursor(cursor: string): Cursor {
  const [request_id = '', step = '', ...position] = decodeTextCursor(cursor).split(' ')
  const at = steps[Number(step)]
  const isWhole = ID.test(request_id) && at && (position.length === 0 || position.length === at.begin.length)
  if (!isWhole || !position.every((id) => ID.test(id))) throw new ApiError('invalid_cursor')
  return { request_id, step: Number(step), position }
}
