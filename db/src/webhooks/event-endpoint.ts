import { type SQL, sql } from 'drizzle-orm'

/** The part of an address that events show: host and port. */
const HOST = sql.raw(`'^[A-Za-z]+://([^/?#\\\\]+)'`)

/** An endpoint as events about it show it, in JSON: `EventEndpoint` of the contracts. */
export const eventEndpoint = (endpoint: SQL) => sql`json_build_object(
             'id', ${endpoint}.id,
             'host', substring(${endpoint}.url from ${HOST}),
             'description', ${endpoint}.description,
             'project_id', ${endpoint}.project_id,
             'state', ${endpoint}.state,
             'disabled_reason', ${endpoint}.disabled_reason,
             'last_success_at', iso_timestamp(${endpoint}.last_success_at))`
