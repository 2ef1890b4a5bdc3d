import { z } from 'zod'
import { CreatedAt, Id, timestamp, UpdatedAt } from './primitives.ts'

const ImportState = z
  .enum(['reserved', 'uploaded', 'running', 'completed', 'failed', 'undone'])
  .meta({ id: 'ImportState', description: 'State of the import.' })

const ImportTotals = z
  .object({
    rows: z.int().meta({ description: 'Number of rows in the file.' }),
    created: z.int().meta({ description: 'Number of records created.' }),
    updated: z.int().meta({ description: 'Number of records updated.' }),
    skipped: z.int().meta({ description: 'Number of rows skipped because the record exists.' }),
    failed: z.int().meta({ description: 'Number of rows that failed.' }),
  })
  .meta({ id: 'ImportTotals', description: 'Results of the import.' })

export const Import = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    state: ImportState,
    target: z.enum(['testimonials']).meta({ description: 'Kind of record that rows become.' }),
    file_name: z.string().meta({ description: 'Name of the file.' }),
    mapping: z.record(z.string(), z.string()).meta({ description: 'The field of each column.', example: { Quote: 'body' } }),
    dedupe_by: z.enum(['external_id', 'email+body', 'none']).meta({ description: 'How duplicate rows are recognized.' }),
    mode: z.enum(['create', 'upsert']).meta({ description: 'Whether existing records are updated.' }),
    dry_run: z.boolean().meta({ description: 'Whether the import only reports what it would do.' }),
    totals: ImportTotals,
    started_at: timestamp('Time when the import started.').nullable(),
    finished_at: timestamp('Time when the import finished.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Import', description: 'A CSV file whose rows become records.' })
