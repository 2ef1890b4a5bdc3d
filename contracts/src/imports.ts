import { z } from 'zod'
import { durations } from './durations.ts'
import { sizes } from './limits.ts'
import { operation } from './operation.ts'
import { PROJECT, ProjectRef } from './paths.ts'
import { DateOrder, DedupeBy, Import, ImportMapping, ImportMode, ImportRow, ImportTarget, RatingScale } from './schemas/import.ts'
import { Id, listOf, Page, text, timestamp } from './schemas/primitives.ts'
import { ConsentInput } from './schemas/submission.ts'

const IMPORT = `${PROJECT}/imports/{import_id}` as const
const ImportRef = ProjectRef.extend({ import_id: Id.meta({ description: 'The import.' }) })
const read = { scope: 'read:imports', role: 'viewer', feature: 'imports' } as const
const write = { scope: 'write:imports', role: 'member', feature: 'imports' } as const

const Upload = z
  .object({
    url: z.string().meta({ description: 'Address for one `PUT` of the file, with the same `Authorization` as any request.' }),
    max_bytes: z.int().meta({ description: 'Size of the file, as it was reserved.' }),
    expires_at: timestamp('Time until which the file can be uploaded.'),
  })
  .meta({ id: 'ImportUpload', description: 'Where to upload the file.' })

const CreatedImport = Import.extend({ upload: Upload.nullable() }).meta({
  id: 'CreatedImport',
  description: 'An import, with the address for its file if that was not in the request.',
})

const rows = {
  list: operation({
    ...read,
    method: 'GET',
    path: `${IMPORT}/rows/`,
    summary: 'List the rows of an import that failed',
    description: `At most ${sizes.importFailedRows} rows are kept; \`totals.failed\` counts all.`,
    input: ImportRef.extend(Page.shape),
    output: listOf('ImportRow', ImportRow, { order: 'last row first' }),
  }),
}

export const imports = {
  list: operation({
    ...read,
    method: 'GET',
    path: `${PROJECT}/imports/`,
    summary: 'List the imports of a project',
    input: ProjectRef.extend(Page.shape),
    output: listOf('Import', Import),
  }),
  retrieve: operation({
    ...read,
    method: 'GET',
    path: `${IMPORT}/`,
    summary: 'Retrieve an import',
    description: 'The totals rise while it runs.',
    input: ImportRef,
    output: Import,
  }),
  create: operation({
    ...write,
    method: 'POST',
    path: `${PROJECT}/imports/`,
    status: 202,
    bodyBytes: sizes.importBodyBytes,
    summary: 'Import testimonials from a CSV file',
    description:
      'Send the file as `csv`; or its size as `size_bytes`, then upload it to `upload.url` and complete the import; or `dry_run_id`, to take over the file of a dry run. Exports of Earshot, Senja, Testimonial.to, Google, Trustpilot, Typeform and Delighted are recognized from their header; other columns need a `mapping`. Records arrive pending. With `dry_run` no record is stored, and the totals and the preview say what would be.',
    errors: ['state_conflict'],
    input: ProjectRef.extend({
      target: ImportTarget,
      file_name: text(200, 1).meta({ description: 'Name of the file, for people.', example: 'testimonials.csv' }),
      csv: text(sizes.importInlineBytes, 1)
        .optional()
        .meta({
          description: `The file, at most ${sizes.importInlineBytes} bytes of UTF-8.`,
          example: 'name,text\nAda,Saved us a week.\n',
        }),
      size_bytes: z.int().min(1).max(sizes.importBytes).optional().meta({ description: 'Size of the file that you will upload.' }),
      dry_run_id: Id.optional().meta({
        description: `A dry run that has ended, whose file this import takes over. Files of dry runs are kept for ${durations.importFileHours} hours.`,
      }),
      mapping: ImportMapping.optional(),
      date_order: DateOrder.optional(),
      rating_scale: RatingScale.optional(),
      consent: ConsentInput.optional().meta({
        description:
          'The consent of all authors, for a file that has no column about it. Without it, and without a column, consent is not granted.',
      }),
      dedupe_by: DedupeBy.optional(),
      mode: ImportMode.optional(),
      dry_run: z.boolean().optional().meta({ description: 'Only report what would happen.' }),
      suppress_events: z.boolean().optional().meta({ description: 'Send no events about its records, only `import.completed`.' }),
    }),
    output: CreatedImport,
  }),
  complete: operation({
    ...write,
    method: 'POST',
    path: `${IMPORT}/complete/`,
    summary: 'Start an import whose file is uploaded',
    description: 'An import that has started already stays as it is.',
    errors: ['state_conflict'],
    input: ImportRef,
    output: Import,
  }),
  rows,
  undo: operation({
    ...write,
    method: 'POST',
    path: `${IMPORT}/undo/`,
    hints: { destructive: true },
    summary: 'Undo an import',
    description:
      'Removes the records that it created and that nobody has decided on; `submissions.list` shows the others by `import_id`. `totals.removed` rises meanwhile, and `finished_at` is set at the end. What they used of the quota of this month comes back. A running import cannot be undone.',
    errors: ['state_conflict'],
    input: ImportRef,
    output: Import,
  }),
  resume: operation({
    ...write,
    method: 'POST',
    path: `${IMPORT}/resume/`,
    summary: 'Resume an import that stopped',
    description:
      'Continues behind the last row that was stored: after `quota_exceeded`, when the plan was upgraded or in the next month; after `file_unavailable` or `internal_error`, when the cause was removed.',
    errors: ['state_conflict'],
    input: ImportRef,
    output: Import,
  }),
}
