import { type Tx, transaction } from '../driver/database.ts'
import type { StoredRecipient } from '../tables/privacy.ts'
import { mergeRecipients } from './deliveries.ts'
import { forgetErased, type RequestRef } from './erased-records.ts'
import { eraseFromNextImport, type UploadedFiles } from './import-files.ts'
import { type Person, personOf } from './person.ts'
import { advanceRequest, lockRunning, type PersonalCounts, sumCounts, tryToHoldErasures } from './requests.ts'
import { beginning, type Position } from './scan.ts'
import { steps } from './steps.ts'

const FILES = 'import_files'
/** In this order: events are found by the records, deliveries by the events. What may wait for an import comes last. */
const ORDER = [...steps.map(({ name }) => name), FILES]
/** The step with which an erasure begins. */
export const FIRST_STEP = ORDER[0] ?? FILES

/** What the job of an erasure needs beside the database. */
export interface ErasureContext {
  /** Opens the sealed address. */
  open: (sealed: Buffer) => string
  files: UploadedFiles
}

/** `more`: call again. `waiting`: call again after a moment. `done`: there is nothing left. */
export type ErasureOutcome = 'more' | 'waiting' | 'done'

/**
 * Does the next part of an erasure and notes how far it came, both or neither. Of two processes at erasures of a team one works at a
 * time; each continues where the other one ended.
 */
export async function continueErasure(tx: Tx, ref: RequestRef, context: ErasureContext): Promise<ErasureOutcome> {
  const files = await transaction(tx, (tx) => continueInDatabase(tx, ref, context))
  return typeof files === 'string' ? files : continueInFiles(tx, ref, { ...files, context })
}

/** Where an erasure is that has come to the files. */
interface AtFiles {
  position: Position
  person: Person
}

async function continueInDatabase(
  tx: Tx,
  { team_id, request_id }: RequestRef,
  { open }: ErasureContext,
): Promise<ErasureOutcome | AtFiles> {
  if (!(await tryToHoldErasures(tx, team_id))) return 'waiting'
  const row = await lockRunning(tx, { team_id, request_id })
  if (!row?.sealed_email) return 'done'
  const person = personOf(team_id, open(row.sealed_email))
  const at = steps.findIndex(({ name }) => name === row.step)
  const step = steps[at]
  if (!step) return { position: row.position.length > 0 ? row.position : beginning(2), person }
  const position = row.position.length > 0 ? row.position : step.begin
  const done = await step.run(tx, { team_id, request_id, person, person_mac: row.person_mac, position })
  if (done === 'waiting') return 'waiting'
  await advanceRequest(
    tx,
    { team_id, request_id },
    {
      step: done.next ? step.name : (ORDER[at + 1] ?? FILES),
      position: done.next ?? [],
      counts: sumCounts(row.counts, done.counts ?? {}),
      recipients: mergeRecipients(row.recipients, done.recipients ?? []),
    },
  )
  return 'more'
}

async function continueInFiles(
  tx: Tx,
  { team_id, request_id }: RequestRef,
  { position, person, context }: AtFiles & { context: ErasureContext },
): Promise<ErasureOutcome> {
  const outcome = await eraseFromNextImport(tx, { team_id, request_id, position, person }, context.files)
  if (outcome === 'waiting') return 'waiting'
  return transaction(tx, async (tx) => {
    const row = await lockRunning(tx, { team_id, request_id })
    // Another process was faster.
    if (!row || (row.position.length > 0 && row.position.join() !== position.join())) return 'more'
    const counts = sumCounts(row.counts, { import_files: outcome.erased })
    const { recipients } = row
    if (outcome.next) await advanceRequest(tx, { team_id, request_id }, { step: FILES, position: outcome.next, counts, recipients })
    else await finish(tx, { team_id, request_id }, { counts, recipients })
    return outcome.next ? 'more' : 'done'
  })
}

async function finish(tx: Tx, ref: RequestRef, end: { counts: Partial<PersonalCounts>; recipients: StoredRecipient[] }): Promise<void> {
  await forgetErased(tx, ref)
  await advanceRequest(tx, ref, { step: null, position: [], ...end })
}
