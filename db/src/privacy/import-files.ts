import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { columnsOf } from '../sql/columns.ts'
import { statement } from '../sql/statement.ts'
import { type ImportRow, import_files, imports } from '../tables/imports.ts'
import type { RequestRef } from './erased-records.ts'
import { ERASED, hasAddress, mentions, type Person, type PersonValues } from './person.ts'
import type { Position } from './scan.ts'
import { withoutExtension } from './texts.ts'

/** Where uploaded files lie. */
export interface UploadedFiles {
  /** Reads a file; null for one that is not there. */
  get: (key: string) => Promise<AsyncIterable<Uint8Array> | null>
  /** Deletes a file; one that is not there is no error. */
  delete: (key: string) => Promise<void>
}

/** Longer than an address in any spelling: what stands at the end of a piece is looked at again with the next one. */
const OVERLAP = 8_192
/** Every text that an address can stand in is the same in one of these. */
const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

type Found = Pick<ImportRow, 'team_id' | 'project_id' | 'id' | 'state' | 'file_key'> & { bytes: Buffer | null }
type ImportKey = Pick<ImportRow, 'team_id' | 'project_id' | 'id'>

// Later imports leave the person out of what they read, and their files go when they end.
const findNext = statement<RequestRef & { position: Position }, Found>(
  (p) => sql`
  select i.team_id, i.project_id, i.id, i.state, i.file_key, f.bytes
    from ${imports} i
    left join ${import_files} f on f.team_id = i.team_id and f.project_id = i.project_id and f.import_id = i.id
   where i.team_id = ${p.team_id} and (i.project_id, i.id) > ((${p.position}::uuid[])[1], (${p.position}::uuid[])[2])
     and i.id < ${p.request_id}
   order by i.project_id, i.id
   limit 1`,
)

const here = (p: { readonly [Name in keyof ImportKey]-?: unknown }) =>
  sql`team_id = ${p.team_id} and project_id = ${p.project_id} and id = ${p.id}`

const lock = statement<ImportKey, ImportRow>(
  (p) => sql`
  select ${columnsOf(imports)}
    from ${imports}
   where ${here(p)}
     for no key update`,
)

// A file without a header has cells where the header is looked for.
const forget = statement<ImportKey & PersonValues, never>(
  (p) => sql`
  update ${imports}
     set preview = case when ${mentions(sql`preview::text`, p)} then null else preview end,
         columns = case when ${mentions(sql`columns::text`, p)} then null else columns end,
         mapping = case when ${mentions(sql`mapping::text`, p)} then '{}' else mapping end,
         error_detail = case when ${mentions(sql`error_detail`, p)} then null else error_detail end,
         file_name = case when ${mentions(sql`concat_ws(E'\\n', file_name, ${withoutExtension(sql`file_name`)})`, p)}
           then ${sql.raw(`'${ERASED}'`)} else file_name end
   where ${here(p)}`,
)

const fail = statement<ImportKey, never>(
  (p) => sql`
  with file as (
    delete from ${import_files}
     where team_id = ${p.team_id} and project_id = ${p.project_id} and import_id = ${p.id}
  )
  update ${imports}
     set state = case when state = 'undone' then state else 'failed' end,
         error_code = 'file_expunged',
         error_detail = 'The file was deleted: it had data of a person who was erased.',
         preview = null,
         finished_at = coalesce(finished_at, now()),
         updated_at = now()
   where ${here(p)}`,
)

const dropKey = statement<ImportKey & { file_key: string }, never>(
  (p) => sql`
  update ${imports}
     set file_key = null
   where ${here(p)} and file_key = ${p.file_key}`,
)

/** `waiting`: an import runs, and is looked at again when it has ended. */
export type FileOutcome = { next: Position | null; erased: number } | 'waiting'

/**
 * Takes the person out of the next import of the team: its description, and its file if that has the address. Reading a file takes
 * long, so it is read before the transaction, which checks that nothing has changed. A file in the store is deleted before its key is
 * forgotten: a process that dies between both finds it again.
 */
export async function eraseFromNextImport(
  tx: Tx,
  { team_id, request_id, position, person }: RequestRef & { position: Position; person: Person },
  files: UploadedFiles,
): Promise<FileOutcome> {
  const [found] = await findNext(tx, { team_id, request_id, position })
  if (!found) return { next: null, erased: 0 }
  if (found.state === 'running') return 'waiting'
  const isMeant = await fileHasAddress(person, found, files)
  const isDone = await transaction(tx, (tx) => eraseFromImport(tx, found, { person, isMeant }))
  if (!isDone) return 'waiting'
  if (isMeant && found.file_key !== null) {
    await files.delete(found.file_key)
    await dropKey(tx, { ...keyOf(found), file_key: found.file_key })
  }
  return { next: [found.project_id, found.id], erased: isMeant ? 1 : 0 }
}

async function eraseFromImport(tx: Tx, found: Found, { person, isMeant }: { person: Person; isMeant: boolean }): Promise<boolean> {
  const [row] = await lock(tx, keyOf(found))
  // It was purged with its project.
  if (!row) return true
  if (row.state !== found.state || row.file_key !== found.file_key) return false
  await forget(tx, { ...keyOf(found), ...person })
  if (isMeant) await fail(tx, keyOf(found))
  return true
}

async function fileHasAddress(person: Person, { file_key, bytes }: Found, files: UploadedFiles): Promise<boolean> {
  if (bytes) return hasAddressIn(person, [bytes])
  const stored = file_key === null ? null : await files.get(file_key)
  return stored ? hasAddressIn(person, stored) : false
}

/** Returns whether the address stands in a file, whatever the encoding of its text. */
export async function hasAddressIn(
  person: Pick<Person, 'likes' | 'pattern'>,
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<boolean> {
  const readings = ENCODINGS.map((encoding) => ({ decoder: new TextDecoder(encoding), text: '' }))
  for await (const piece of file) {
    for (const reading of readings) {
      reading.text = endOf(reading.text) + reading.decoder.decode(piece, { stream: true })
      if (hasAddress(person, reading.text)) return true
    }
  }
  return false
}

/** The end of a text that goes on. Before what is cut off stands a letter, so that no address seems to begin there. */
function endOf(text: string): string {
  return text.length > OVERLAP ? `x${text.slice(-OVERLAP)}` : text
}

function keyOf({ team_id, project_id, id }: Found): ImportKey {
  return { team_id, project_id, id }
}
