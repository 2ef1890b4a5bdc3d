import { z } from 'zod'

/** A column of a CSV file. */
export interface Column<Data> {
  name: string
  /** Returns the value of a record. Objects and lists are written as JSON. */
  of: (record: Data) => unknown
}

/** Returns a column for each field of a record, `author.name` for one of an object in it. */
export function columnsOf<Data extends object>(schema: z.ZodObject): Column<Data>[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const read = (record: object) => (record as Record<string, unknown>)[name]
    if (!(field instanceof z.ZodObject)) return [{ name, of: read }]
    return columnsOf(field).map((column) => ({
      name: `${name}.${column.name}`,
      of: (record) => column.of(read(record) as object), // The record has the shape of the schema.
    }))
  })
}
