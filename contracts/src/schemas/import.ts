import { z } from 'zod'
import { sizes } from '../limits.ts'
import { importFields } from './import-fields.ts'
import { CreatedAt, Id, NUL, strangersWords, text, timestamp, UpdatedAt } from './primitives.ts'
import { Testimonial } from './testimonial.ts'

const ImportState = z.enum(['reserved', 'uploaded', 'running', 'completed', 'failed', 'undone']).meta({
  id: 'ImportState',
  description:
    'State of the import: it waits for its file, for its completion, for its rows; it has ended, or stopped for the reason in `error`; or its records were removed again.',
})

const METADATA = 'metadata.'
const METADATA_FIELD = {
  pattern: new RegExp(String.raw`^metadata\.[^${NUL}]+$`),
  problem: 'must be a field, or `metadata.` and a key without NUL characters',
}
type MetadataField = z.ZodType<`metadata.${string}`, string>
const MetadataField = text(METADATA.length + sizes.importColumnCharacters, METADATA.length + 1, METADATA_FIELD) as MetadataField
const Field = z
  .union([z.enum(importFields).meta({ id: 'ImportField', description: 'A field of a testimonial.' }), MetadataField])
  .meta({ description: `A field of a testimonial, or \`metadata.\` and a key. One of: ${importFields.join(', ')}.`, example: 'body' })

export const ImportMapping = z.record(text(sizes.importColumnCharacters, 1), Field).meta({
  description: 'The field of each column. Adds to what was recognized from the header, and overrides it; other columns are ignored.',
  example: { Quote: 'body', Customer: 'author.name' },
})

/** Where a file comes from, recognized from its header. */
export const importPresets = ['earshot', 'senja', 'testimonial_to', 'google', 'trustpilot', 'typeform', 'delighted'] as const
export type ImportPreset = (typeof importPresets)[number]
const ImportPreset = z.enum(importPresets).meta({ id: 'ImportPreset', description: 'A service whose exports are recognized.' })

export const DedupeBy = z.enum(['external_id', 'email+body', 'none']).meta({
  id: 'ImportDedupeBy',
  description:
    'How records that exist are recognized: by your own id, or by the e-mail address of the author together with the text. Rows without that value are always new.',
})
export const ImportMode = z
  .enum(['create', 'upsert'])
  .meta({ id: 'ImportMode', description: 'Whether records that exist are skipped, or updated while they are imported and pending.' })
export const DateOrder = z.enum(['dmy', 'mdy']).meta({ id: 'ImportDateOrder', description: 'How dates such as 3/4/2026 are read.' })
export const RatingScale = z.union([z.literal(5), z.literal(10), z.literal(100)]).meta({ description: 'The best rating in the file.' })

export const ImportTarget = z.enum(['testimonials']).meta({ id: 'ImportTarget', description: 'Kind of record that rows become.' })

const ImportTotals = z
  .object({
    rows: z.int().meta({ description: 'Number of rows read so far.' }),
    created: z.int().meta({ description: 'Number of records created.' }),
    updated: z.int().meta({ description: 'Number of records updated.' }),
    skipped: z.int().meta({ description: 'Number of rows skipped because the record exists, or because its person was erased.' }),
    failed: z.int().meta({ description: 'Number of rows that failed.' }),
    removed: z.int().meta({ description: 'Number of records that undoing the import removed.' }),
  })
  .meta({ id: 'ImportTotals', description: 'What became of the rows. The numbers rise while the import runs.' })

/** Why an import stopped. */
const importFailures = [
  'quota_exceeded',
  'no_mapping',
  'unknown_column',
  'duplicate_column',
  'empty_file',
  'not_csv',
  'unclosed_quote',
  'row_too_large',
  'too_many_columns',
  'upload_expired',
  'file_unavailable',
  'file_expunged',
  'internal_error',
] as const
export type ImportFailure = (typeof importFailures)[number]

const ImportError = z
  .object({
    code: z.enum(importFailures).meta({ id: 'ImportFailure', description: 'Reason for programs.' }),
    detail: z.string().meta({ description: 'Reason for people.' }),
  })
  .meta({ id: 'ImportError', description: 'Why the import stopped.' })

const PreviewRow = Testimonial.pick({
  ...{ title: true, body: true, rating: true, author: true, consent: true, source: true, language: true },
  ...{ tags: true, external_id: true, metadata: true, featured: true, excerpt: true, position: true },
}).meta({ id: 'ImportPreviewRow', description: 'A row of the file as a testimonial.' })

export const Import = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    state: ImportState,
    target: ImportTarget,
    file_name: z.string().meta({ description: 'Name of the file.' }),
    size_bytes: z.int().nullable().meta({ description: 'Size of the file.' }),
    preset: ImportPreset.nullable().meta({ description: 'Where the file comes from, if that was recognized.' }),
    columns: z.array(z.string()).nullable().meta({ description: 'The header of the file, once it was read.' }).register(strangersWords),
    mapping: z.record(z.string(), z.string()).meta({ description: 'The field of each column that is read.', example: { Quote: 'body' } }),
    date_order: DateOrder.nullable(),
    rating_scale: RatingScale.nullable(),
    consent: z
      .object({
        granted: z.boolean().meta({ description: 'Whether consent was given.' }),
        text: z.string().nullable().meta({ description: 'Text that the authors consented to.' }),
        granted_at: timestamp('Time when consent was given.').nullable(),
      })
      .meta({ id: 'ImportConsent', description: 'The consent of all authors of a file.' })
      .nullable()
      .meta({ description: 'The consent of all authors, where the file has no column about it.' }),
    dedupe_by: DedupeBy.nullable(),
    mode: ImportMode,
    dry_run: z.boolean().meta({ description: 'Whether the import only reports what it would do.' }),
    suppress_events: z.boolean().meta({ description: 'Whether its records send no events of their own.' }),
    preview: z
      .array(PreviewRow)
      .nullable()
      .meta({
        description: `Of a dry run: the first ${sizes.importPreviewRows} rows as testimonials, once they were read.`,
      }),
    totals: ImportTotals,
    error: ImportError.nullable(),
    started_at: timestamp('Time when the import started.').nullable(),
    finished_at: timestamp('Time when the import finished; once it is undone, when the last of its records was removed.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Import', description: 'A CSV file whose rows become records.' })
export type Import = z.infer<typeof Import>

/** Why a row failed. */
const importRowErrors = [
  'required',
  'too_big',
  'invalid_format',
  'invalid_value',
  'ambiguous_date',
  'ambiguous_rating',
  'unreadable_text',
  'too_many_cells',
  'not_verbatim',
  'already_exists',
] as const
export type ImportRowError = (typeof importRowErrors)[number]

export const ImportRow = z
  .object({
    id: Id,
    row: z.int().meta({ description: 'Number of the row; the first one below the header is 1.' }),
    line: z.int().meta({ description: 'Line of the file on which the row ends.' }),
    column: z.string().nullable().meta({ description: 'The column; null if the row as a whole failed.' }),
    code: z.enum(importRowErrors).meta({ id: 'ImportRowErrorCode', description: 'Reason for programs.' }),
    detail: z.string().meta({ description: 'Reason for people.' }),
    text: z
      .string()
      .nullable()
      .meta({
        visibility: 'read:contacts',
        description: `The row as it was read, at most ${sizes.importRowTextCharacters} characters. Null without the scope read:contacts, and for viewers.`,
      })
      .register(strangersWords),
  })
  .meta({ id: 'ImportRow', description: 'A row that failed.' })
export type ImportRow = z.infer<typeof ImportRow>
