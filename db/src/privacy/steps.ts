import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { onlyOne } from '../sql/rows.ts'
import { statement } from '../sql/statement.ts'
import { foldTagChanges } from '../submissions/tag-totals.ts'
import type { StoredRecipient } from '../tables/privacy.ts'
import { tag_changes } from '../tables/submissions.ts'
import { emptyAnswers, emptyAttempts, endDeliveries, scanAttempts } from './deliveries.ts'
import type { RequestRef } from './erased-records.ts'
import { deleteEvents, noteEvents, scanEvents } from './events.ts'
import { mentions, type Person, type PersonValues } from './person.ts'
import { type PersonalCounts, sumCounts } from './requests.ts'
import { eraseResponses, redactResponses, scanResponses } from './responses.ts'
import { beginning, type Position, type Scan } from './scan.ts'
import { eraseOwnSubmissions, eraseSubmissions, redactSubmissions, scanSubmissions } from './submissions.ts'
import { emptyAuditEntries, eraseIdempotentResults, eraseMails, removeImportRowsOf, scanAuditEntries, scanImportRows } from './traces.ts'
import { eraseVideos, redactVideos, scanVideos } from './videos.ts'

/** Changes of tags that are folded at once. */
const FOLDED = 10_000
/** Submissions of drafts that are submitted while their author is erased. */
const LATE = 1_000

interface Erasure extends RequestRef {
  person: Person
  person_mac: Buffer
  position: Position
}

interface Done {
  /** Where the step goes on; null at its end. */
  next: Position | null
  counts?: Partial<PersonalCounts>
  recipients?: StoredRecipient[]
}

/** A step of an erasure. Each run is one transaction, far shorter than a statement may take. */
interface Step {
  name: string
  begin: Position
  run: (tx: Tx, erasure: Erasure) => Promise<Done | 'waiting'>
}

/** A row that a scan found. */
type Found<Row> = Row & { verdict: string }

/** A step that looks at all rows of a team in a table and erases those that it finds; `erase` returns what it counts. */
function scanning<Row>(
  { name, ids, scan }: { name: string; ids: number; scan: Scan<PersonValues & RequestRef, Row> },
  erase: (tx: Tx, erasure: Erasure, rows: Found<Row>[]) => Promise<Partial<PersonalCounts>>,
): Step {
  return {
    name,
    begin: beginning(ids),
    async run(tx, erasure) {
      const { person, request_id, position } = erasure
      const { rows, next } = await scan(tx, { ...person, request_id, position })
      return { next, counts: rows.length === 0 ? {} : await erase(tx, erasure, rows) }
    },
  }
}

/** A step of one statement or a few. */
function single(name: string, run: (tx: Tx, erasure: Erasure) => Promise<Partial<PersonalCounts>>): Step {
  return { name, begin: [], run: async (tx, erasure) => ({ next: null, counts: await run(tx, erasure) }) }
}

/** A step that ends what is not sent yet, until there is none. */
function endingDeliveries(name: string): Step {
  return {
    name,
    begin: [],
    async run(tx, erasure) {
      const { count, hasMore } = await endDeliveries(tx, erasure)
      return { next: hasMore ? [name] : null, counts: { deliveries: count } }
    },
  }
}

const own = <Row>(rows: Found<Row>[]) => rows.filter(({ verdict }) => verdict !== 'other')
const others = <Row>(rows: Found<Row>[]) => rows.filter(({ verdict }) => verdict === 'other')

const findTagChanges = statement<PersonValues, { exist: boolean }>(
  (p) => sql`
  select exists (
           select
             from ${tag_changes} s
            where s.team_id = ${p.team_id} and ${mentions(sql`s.tag`, p)}
         ) as exist`,
)

/** The steps of an erasure in the database, in their order. */
export const steps: readonly Step[] = [
  scanning({ name: 'submissions', ids: 2, scan: scanSubmissions }, async (tx, erasure, rows) => {
    await redactSubmissions(tx, erasure, erasure.person, others(rows))
    return eraseSubmissions(tx, erasure, own(rows))
  }),
  scanning({ name: 'videos', ids: 2, scan: scanVideos }, async (tx, erasure, rows) => {
    await redactVideos(tx, erasure, erasure.person, others(rows))
    const videos = await eraseVideos(tx, erasure, own(rows))
    // Of a draft that was submitted after the step before. No draft is left that can be submitted from now on.
    const late = await eraseOwnSubmissions(tx, erasure, erasure.person, LATE)
    return sumCounts(late, { videos })
  }),
  scanning({ name: 'responses', ids: 3, scan: scanResponses }, async (tx, erasure, rows) => {
    await redactResponses(tx, erasure, erasure.person, others(rows))
    return { responses: await eraseResponses(tx, erasure, own(rows)) }
  }),
  scanning({ name: 'import_rows', ids: 3, scan: scanImportRows }, async (tx, { team_id }, rows) => ({
    import_rows: await removeImportRowsOf(tx, team_id, rows),
  })),
  scanning({ name: 'events', ids: 1, scan: scanEvents }, async (tx, erasure, rows) => ({ events: await noteEvents(tx, erasure, rows) })),
  endingDeliveries('deliveries'),
  {
    name: 'event_rows',
    begin: beginning(1),
    run: async (tx, erasure) => ({ next: (await deleteEvents(tx, erasure, erasure.position)).next }),
  },
  // Those that somebody had sent again meanwhile: from now on nobody can.
  endingDeliveries('late_deliveries'),
  {
    name: 'history',
    begin: [],
    async run(tx, erasure) {
      const { attempts, ...day } = await emptyAnswers(tx, erasure, erasure.position)
      return { ...day, counts: { attempts } }
    },
  },
  scanning({ name: 'attempts', ids: 1, scan: scanAttempts }, async (tx, { team_id }, rows) => ({
    attempts: await emptyAttempts(tx, team_id, rows),
  })),
  scanning({ name: 'audit_entries', ids: 1, scan: scanAuditEntries }, async (tx, { team_id }, rows) => ({
    audit_entries: await emptyAuditEntries(tx, team_id, rows),
  })),
  single('mails', async (tx, { person }) => ({ mails: await eraseMails(tx, person) })),
  single('stored_responses', async (tx, { person, person_mac }) => ({
    stored_responses: await eraseIdempotentResults(tx, person, person_mac),
  })),
  {
    // A total of no submissions goes when the changes are folded.
    name: 'tags',
    begin: [],
    async run(tx, { person }) {
      await foldTagChanges(tx, { max: FOLDED })
      return onlyOne(await findTagChanges(tx, person)).exist ? 'waiting' : { next: null }
    },
  },
]
