import { contracts, type ImportRowError } from '@earshot/contracts'
import { z } from 'zod'
import { cleanerOf, type FileFormat } from './format.ts'
import { codeOf, fieldOf, reasonOf } from './issue.ts'
import { type Draft, type Target, targetsOf } from './targets.ts'

const Imported = contracts.testimonials.create.input.omit({ team_id: true, project_id: true })
const validate = z.compile(Imported)

/** A testimonial as a row names it. */
export type ImportedRecord = z.output<typeof Imported> & { consent_revoked_at: string | null }

/** Why a row cannot be imported. The detail quotes no cell. */
export interface RowProblem {
  column: string | null
  code: ImportRowError
  detail: string
}

/** The name of an author of whom the file has none. */
const NO_NAME = 'Anonymous'

/** Returns what reads the cells of a row as a testimonial. An empty cell is no value: CSV does not tell an empty text from none. */
export function createRecordReader(format: FileFormat): (cells: readonly string[]) => { record: ImportedRecord } | RowProblem {
  const targets = targetsOf(format)
  const clean = cleanerOf(format)
  const provider = format.preset === 'earshot' ? null : format.preset
  const width = format.columns.length
  return (cells) => {
    if (cells.length > width && cells.slice(width).some((cell) => cell.trim() !== '')) {
      return { column: null, code: 'too_many_cells', detail: 'the row has more cells than the header' }
    }
    const draft = newDraft(provider)
    for (const target of targets) {
      const cell = clean(cells[target.index] ?? '')
      if (cell === '') continue
      const reading = target.read(cell)
      if ('error' in reading) return { column: target.column, code: reading.error, detail: `${target.field} ${reading.detail}` }
      target.set(draft, reading.value)
    }
    return validated(draft, targets)
  }
}

function newDraft(provider: string | null): Draft {
  return {
    fields: {},
    author: { name: NO_NAME },
    consent: { granted: false },
    source: provider === null ? {} : { provider },
    // A key may be `__proto__`.
    metadata: Object.create(null),
  }
}

function validated({ fields, consent, ...groups }: Draft, targets: readonly Target[]): { record: ImportedRecord } | RowProblem {
  if (fields.body === undefined) return { column: columnOf('body', targets), code: 'required', detail: 'body must not be empty' }
  const { revoked_at: revokedAt, ...given } = consent
  const { success, data, error } = validate.safeParse({ ...fields, ...groups, consent: given })
  if (!success) {
    const [issue] = error.issues
    if (!issue) throw error
    const field = fieldOf(issue)
    return { column: columnOf(field, targets), code: codeOf(issue), detail: `${field} ${reasonOf(issue)}` }
  }
  if (data.excerpt && !data.body.includes(data.excerpt)) {
    return { column: columnOf('excerpt', targets), code: 'not_verbatim', detail: 'excerpt must be a verbatim part of the body' }
  }
  return { record: { ...data, consent_revoked_at: typeof revokedAt === 'string' ? revokedAt : null } }
}

/** The column that a field comes from; of metadata, one of them. */
function columnOf(field: string, targets: readonly Target[]): string | null {
  return targets.findLast((target) => target.field === field || target.field.startsWith(`${field}.`))?.column ?? null
}
