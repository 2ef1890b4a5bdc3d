import { ApiError, contracts } from '@earshot/contracts'
import {
  completeImport,
  createImport,
  type FailedRow,
  findImport,
  type ImportSource,
  listImportRows,
  listImports,
  presentImport,
  resumeImport,
  undoImport,
} from '@earshot/db'
import type { z } from 'zod'
import { implement } from '../http/implement.ts'
import { uploadOf } from './upload.ts'

export const imports = implement(contracts.imports, {
  list: ({ ctx, input }) => listImports(ctx.tx, input),
  retrieve: async ({ ctx, input }) => presentImport(await findImport(ctx.tx, input)),
  create: async ({ ctx, input }) => {
    const { team_id, project_id, csv, size_bytes, dry_run_id, ...options } = input
    const source = sourceOf({ csv, size_bytes, dry_run_id })
    const row = await createImport(ctx.tx, ctx.actor, { team_id, project_id }, { ...withDefaults(options), source })
    return { ...presentImport(row), upload: row.state === 'reserved' ? uploadOf(row, ctx.services.baseUrl) : null }
  },
  complete: async ({ ctx, input }) => presentImport(await completeImport(ctx.tx, ctx.actor, input)),
  rows: {
    list: ({ ctx, input }) => listImportRows(ctx.tx, input, presentFailedRow),
  },
  undo: async ({ ctx, input }) => presentImport(await undoImport(ctx.tx, ctx.actor, input)),
  resume: async ({ ctx, input }) => presentImport(await resumeImport(ctx.tx, ctx.actor, input)),
})

type Input = z.output<typeof contracts.imports.create.input>
type Options = Omit<Input, 'team_id' | 'project_id' | 'csv' | 'size_bytes' | 'dry_run_id'>

function withDefaults({ mapping, date_order, rating_scale, consent, dedupe_by, mode, dry_run, suppress_events, ...given }: Options) {
  return {
    ...given,
    mapping: mapping ?? {},
    date_order: date_order ?? null,
    rating_scale: rating_scale ?? null,
    consent: consent ? { granted: consent.granted, text: consent.text ?? null, granted_at: consent.granted_at ?? null } : null,
    dedupe_by: dedupe_by ?? null,
    mode: mode ?? 'create',
    dry_run: dry_run ?? false,
    suppress_events: suppress_events ?? false,
  }
}

function sourceOf({ csv, size_bytes, dry_run_id }: Pick<Input, 'csv' | 'size_bytes' | 'dry_run_id'>): ImportSource {
  const sources: ImportSource[] = [
    ...(csv === undefined ? [] : [{ csv }]),
    ...(size_bytes === undefined ? [] : [{ size_bytes }]),
    ...(dry_run_id === undefined ? [] : [{ dry_run_id }]),
  ]
  const [source, another] = sources
  if (source && !another) return source
  const problem = source
    ? { code: 'invalid_value', detail: 'only one of csv, size_bytes and dry_run_id can be sent' }
    : { code: 'required', detail: 'is missing: send the file as csv, or its size as size_bytes to upload it' }
  throw new ApiError('validation_error', { errors: [{ field: 'csv', ...problem }] })
}

function presentFailedRow(row: FailedRow) {
  return {
    id: row.id,
    row: row.row_number,
    line: row.line,
    column: row.column_name,
    code: row.code,
    detail: row.detail,
    text: row.row_text,
  }
}
