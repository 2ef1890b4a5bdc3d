import { sql } from 'drizzle-orm'
import { customType, timestamp, uuid } from 'drizzle-orm/pg-core'

/** Raw bytes: hashes and response bodies. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** An address of the network. */
export const inet = customType<{ data: string }>({ dataType: () => 'inet' })

/** An instant with milliseconds, kept as PostgreSQL's text: a Date would cost a sixth of a list. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: 'string' })

/** An instant with microseconds, for the dispatcher's own bookkeeping. */
export const exactInstant = () => timestamp({ withTimezone: true, mode: 'string' })

export const newId = () => uuid().notNull().default(sql`uuidv7()`)

/** When a row came and changed. The first is read from the id and cannot be written. */
export const lifetime = {
  updated_at: instant().notNull().default(sql`clock_timestamp()`),
  created_at: timestamp({ withTimezone: true, mode: 'string' }).notNull().generatedAlwaysAs(sql`uuid_extract_timestamp(id)`),
}
