import { hash } from 'node:crypto'
import type { ImportRowError } from '@earshot/contracts'
import type { NewSubmission } from '../submissions/create.ts'
import type { ImportRow } from '../tables/imports.ts'
import { type KnownRecords, keyOf } from './known-records.ts'

/** Why a row cannot be imported, and its text. */
interface RowFailure {
  column: string | null
  code: ImportRowError
  detail: string
}

/** A row of the file: what it becomes, or why it fails; and where the file goes on behind it. */
export interface ImportItem {
  /** The first row below the header is 1. */
  row: number
  /** What is read up to its end: rows, the header included, bytes of UTF-8 and lines. */
  position: { records: number; bytes: number; lines: number }
  content: { fields: NewSubmission } | RowFailure
  /** Returns it as it stands in the file, cut. */
  text: () => string
  /** The address in it, in lower case. */
  email: string | null
}

/** What becomes of the rows of a batch. */
export interface Plan {
  /** How many rows of the batch it covers: all, or those before the first one that the quota refuses. */
  taken: number
  creates: NewSubmission[]
  /** New fields by the id of the record. */
  updates: Map<string, NewSubmission>
  /** Rows whose fields a later row of the batch replaced. */
  superseded: number
  skipped: number
  failures: FailedItem[]
}

/** A row that failed, as it is stored. */
interface FailedItem extends RowFailure, Pick<ImportItem, 'row' | 'email'> {
  line: number
  text: string
}

/** Keys of the rows that a dry run has read: it stores nothing in which they could be found. */
export class SeenKeys {
  readonly #hashes = new Set<string>()

  has(key: string): boolean {
    return this.#hashes.has(shortened(key))
  }

  add(key: string): void {
    this.#hashes.add(shortened(key))
  }
}

/** 72 bits of a hash: a million keys fit into memory. */
function shortened(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, 12)
}

interface PlanOptions {
  /** How many records may be created. */
  allowed: number
  /** Returns whether the person of a row was erased. */
  isErased: (item: ImportItem) => boolean
  /** Of a dry run. */
  seen?: SeenKeys | undefined
}

/** Decides what becomes of rows. Of rows with one key the first one counts, or in mode `upsert` the last one. */
export function planRows(row: ImportRow, items: readonly ImportItem[], known: KnownRecords, options: PlanOptions): Plan {
  const plan: Plan = { taken: 0, creates: [], updates: new Map(), superseded: 0, skipped: 0, failures: [] }
  /** Where in `creates` a key or an external id of this batch is. */
  const places = { byKey: new Map<string, number>(), byExternalId: new Map<string, number>() }
  for (const item of items) {
    const { content } = item
    if (options.isErased(item)) plan.skipped += 1
    else if (!('fields' in content)) plan.failures.push(failed(item, content))
    else if (!placeFields(plan, { row, item, fields: content.fields, known, places, ...options })) return plan
    plan.taken += 1
  }
  return plan
}

interface Placing extends PlanOptions {
  row: ImportRow
  item: ImportItem
  fields: NewSubmission
  known: KnownRecords
  places: { byKey: Map<string, number>; byExternalId: Map<string, number> }
}

/** Puts the fields of a row where they go. Returns false for a new record that the quota does not allow. */
function placeFields(plan: Plan, { row, item, fields, known, places, allowed, seen }: Placing): boolean {
  const target = targetOf(row, fields, { known, places, seen })
  if (target === 'taken') plan.failures.push(failed(item, taken(row)))
  else if (target === 'skip') plan.skipped += 1
  else if (target === 'seen') plan.superseded += 1
  else if ('id' in target) {
    if (plan.updates.has(target.id)) plan.superseded += 1
    plan.updates.set(target.id, fields)
  } else if (target.place !== null) {
    plan.creates[target.place] = fields
    plan.superseded += 1
  } else {
    if (plan.creates.length >= allowed) return false
    const key = keyOf(row, fields)
    if (key !== null) places.byKey.set(key, plan.creates.length)
    if (key !== null) seen?.add(key)
    if (fields.external_id) places.byExternalId.set(fields.external_id, plan.creates.length)
    plan.creates.push(fields)
  }
  return true
}

function failed({ row, text, email, position }: ImportItem, failure: RowFailure): FailedItem {
  return { ...failure, row, text: text(), email, line: position.lines }
}

/**
 * Where the fields of a row go: to a record, to a place among those of the batch that are new, or to a new one. `seen`: an
 * earlier row of a dry run would be updated; `taken`: another record has its external id.
 */
type Target = { id: string } | { place: number | null } | 'seen' | 'skip' | 'taken'

interface Places {
  byKey: ReadonlyMap<string, number>
  byExternalId: ReadonlyMap<string, number>
}

function targetOf(
  row: ImportRow,
  fields: NewSubmission,
  { known, places, seen }: { known: KnownRecords; places: Places; seen: SeenKeys | undefined },
): Target {
  const key = keyOf(row, fields)
  const record = key === null ? undefined : known.byKey.get(key)
  const place = key === null ? undefined : places.byKey.get(key)
  const wasSeen = key !== null && record === undefined && place === undefined && seen?.has(key)
  if (row.mode === 'create' && (record || place !== undefined || wasSeen)) return 'skip'
  if (record && !record.is_open) return 'skip'
  if (wasSeen) return 'seen'
  const holder = fields.external_id ? known.byExternalId.get(fields.external_id) : undefined
  const holderPlace = fields.external_id ? places.byExternalId.get(fields.external_id) : undefined
  if (holder && holder.id !== record?.id) return 'taken'
  if (holderPlace !== undefined && holderPlace !== place) return 'taken'
  return record ? { id: record.id } : { place: place ?? null }
}

function taken({ mapping }: ImportRow): RowFailure {
  const column = Object.entries(mapping).find(([, field]) => field === 'external_id')?.[0] ?? null
  return { column, code: 'already_exists', detail: 'another record has this external_id' }
}
