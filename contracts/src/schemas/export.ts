import { z } from 'zod'
import { Cursor } from './primitives.ts'

/** The query fields of an export, beside the filters of its list. */
export const exported = {
  cursor: Cursor.optional().meta({
    description: 'Continues an export: the `next_cursor` of its last line, or the `id` of the last record that you received.',
  }),
  format: z
    .enum(['ndjson', 'csv'])
    .meta({ id: 'ExportFormat', description: 'Format of an export.' })
    .default('ndjson')
    .meta({ description: 'One JSON object per line, or a table for spreadsheets (UTF-8 with BOM, CRLF).' }),
}

/** What holds for every export. */
export const EXPORTING = [
  'Newest first, to the end of the list, in one response that counts as one request. You can run two exports at once per process of the service; one more returns 429.',
  'Every 15 seconds the service checks your access again. NDJSON that ends early has a last line `{"next_cursor": "…"}`, with the `error` if there was one; CSV that ends early breaks off the connection. Pass the cursor, or the `id` of the last record that you received, to continue without gaps or duplicates. Empty lines keep a connection open.',
  'In CSV, nested fields are columns such as `author.name`; lists and objects are JSON. A cell that a spreadsheet could take for a formula begins with an apostrophe.',
].join('\n\n')
