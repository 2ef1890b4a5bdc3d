import { z } from 'zod'
import { CreatedAt, Id, timestamp, UpdatedAt } from './primitives.ts'

const ImportState = z
  .enum(['reserved', 'uploaded', 'running', 'completed', 'failed', 'undone'])
  .meta({ id: 'ImportState', description: 'How far it has come.' })

const ImportTotals = z
  .object({
    rows: z.int().meta({ description: 'Rows of the file.' }),
    created: z.int().meta({ description: 'Rows that made a record.' }),
    updated: z.int().meta({ description: 'Rows that changed one.' }),
    skipped: z.int().meta({ description: 'Rows that were there already.' }),
    failed: z.int().meta({ description: 'Rows that could not be taken.' }),
  })
  .meta({ id: 'ImportTotals', description: 'What became of the rows.' })

export const Import = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns it.' }),
    project_id: Id.meta({ description: 'The project that it belongs to.' }),
    state: ImportState,
    target: z.enum(['testimonials']).meta({ description: 'What its rows become.' }),
    file_name: z.string().meta({ description: 'Name of the file.' }),
    mapping: z.record(z.string(), z.string()).meta({ description: 'The field for each column.', example: { Quote: 'body' } }),
    dedupe_by: z.enum(['external_id', 'email+body', 'none']).meta({ description: 'What makes two rows the same.' }),
    mode: z.enum(['create', 'upsert']).meta({ description: 'Whether records that are there are changed.' }),
    dry_run: z.boolean().meta({ description: 'Whether it only tells what it would do.' }),
    totals: ImportTotals,
    started_at: timestamp('When its work began.').nullable(),
    finished_at: timestamp('When its work ended.').nullable(),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Import', description: 'A CSV file whose rows become records.' })
