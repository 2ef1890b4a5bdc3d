import type { Database } from '@earshot/db'
import type { Team } from '../teams.ts'

/** What differs between two records that were made from the same row, beside ids and times. */
const OWN_COLUMNS = ['team_id', 'project_id', 'id', 'import_id', 'created_at', 'updated_at']
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g
const CREATED_OR_UPDATED = /"(created_at|updated_at)" : "[^"]+"/g

interface Stored {
  rows: number
  events: number
  /** A record and the bodies of its events, without ids and times. */
  sample: string
}

/** Throws unless two teams have equally many records and events, and the same of a sampled row: each column, and each byte of a body. */
export async function requireSameRows(database: Database, teams: [Team, Team], row: { externalId: string; events: number }): Promise<void> {
  const one = await storedOf(database, teams[0], row.externalId)
  const other = await storedOf(database, teams[1], row.externalId)
  if (one.events !== row.events * one.rows || JSON.stringify(one) !== JSON.stringify(other)) {
    throw new Error(`The service and its twin wrote different rows:\n${JSON.stringify(one)}\n${JSON.stringify(other)}`)
  }
}

async function storedOf({ client }: Database, { id, project_id }: Team, externalId: string): Promise<Stored> {
  const [counts] = await client<[{ rows: number; events: number }]>`
    select (select count(*)::int from submissions where team_id = ${id}) as rows,
           (select count(*)::int from events where team_id = ${id} and type in ('submission.created', 'testimonial.created')) as events`
  const [record] = await client<[{ id: string; columns: string }]>`
    select id, (to_jsonb(s) - ${OWN_COLUMNS}::text[])::text as columns
      from submissions s
     where team_id = ${id} and project_id = ${project_id} and external_id = ${externalId}`
  const bodies = await client<{ payload: string }[]>`
    select payload
      from events
     where team_id = ${id} and type in ('submission.created', 'testimonial.created') and strpos(payload, ${record.id}) > 0
     order by type`
  const sample = [record.columns, ...bodies.map(({ payload }) => payload)].join('\n')
  return { ...counts, sample: sample.replaceAll(UUID, 'id').replaceAll(CREATED_OR_UPDATED, '"$1"') }
}
