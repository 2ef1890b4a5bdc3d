import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { enqueue } from '../jobs.ts'
import type { Actor } from '../sql/actor.ts'
import { recordAudit } from '../sql/audit.ts'
import { statement } from '../sql/statement.ts'
import { imports } from '../tables/imports.ts'
import type { RequestRef } from './erased-records.ts'
import { FIRST_STEP } from './erasure.ts'
import { type Person, personOf } from './person.ts'
import {
  advanceRequest,
  findPrivacyRequest,
  findRunningErasure,
  holdErasures,
  insertRequest,
  type PersonalCounts,
  type PrivacyRequestRow,
  sumCounts,
} from './requests.ts'
import { eraseOwnResponses } from './responses.ts'
import { eraseOwnSubmissions } from './submissions.ts'
import { eraseImportRows, eraseInvitations } from './traces.ts'
import { eraseOwnVideos } from './videos.ts'

/** Records of each kind that the request itself removes; the job removes the others. */
const AT_ONCE = 1_000
/** Each worker that is killed counts as an attempt; the column is a smallint. */
const MAX_ATTEMPTS = 30_000

/** A person to export or erase. */
export interface PersonRequest extends RequestRef {
  email: string
  /** `secretBox.mac('person', personMessage(team_id, email))`. */
  person_mac: Buffer
}

// A batch of an import locks the import's row: none is half way, and later ones leave the person out. In the order of the keys.
const holdImports = statement<{ team_id: string }, { id: string }>(
  (p) => sql`
  select id
    from ${imports}
   where team_id = ${p.team_id} and state = 'running'
   order by project_id, id
     for no key update`,
)

/**
 * Erases what the indexes find of a person at once, and queues the job that erases the rest. While an erasure of the person runs,
 * returns that one. `sealed_email` is the address, sealed for the request.
 */
export function erasePerson(
  tx: Tx,
  actor: Actor,
  { email, sealed_email, ...request }: PersonRequest & { sealed_email: Buffer },
): Promise<PrivacyRequestRow> {
  const { team_id, request_id, person_mac } = request
  return transaction(tx, async (tx) => {
    await holdErasures(tx, team_id)
    const running = await findRunningErasure(tx, { team_id, person_mac })
    if (running !== undefined) return findPrivacyRequest(tx, { team_id, request_id: running })
    await holdImports(tx, { team_id })
    await insertRequest(tx, { ...request, kind: 'erase', sealed_email, requested_by: actor.userId }, FIRST_STEP)
    const counts = await eraseIndexed(tx, { team_id, request_id }, personOf(team_id, email))
    await advanceRequest(tx, { team_id, request_id }, { step: FIRST_STEP, position: [], counts, recipients: [] })
    await enqueue(tx, 'erasure', { team_id, request_id }, { maxAttempts: MAX_ATTEMPTS })
    await recordAudit(tx, actor, { team_id, action: 'privacy.erased', target: 'privacy_request', target_id: request_id })
    return findPrivacyRequest(tx, { team_id, request_id })
  })
}

async function eraseIndexed(tx: Tx, ref: RequestRef, person: Person): Promise<Partial<PersonalCounts>> {
  const videos = await eraseOwnVideos(tx, ref, person, AT_ONCE)
  const own = await eraseOwnSubmissions(tx, ref, person, AT_ONCE)
  return {
    ...sumCounts(own, { videos }),
    responses: await eraseOwnResponses(tx, ref, person, AT_ONCE),
    invitations: await eraseInvitations(tx, ref, person),
    import_rows: await eraseImportRows(tx, person, AT_ONCE),
  }
}
