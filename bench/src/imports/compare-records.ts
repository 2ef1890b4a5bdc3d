import type { Database } from '@earshot/db'
import type { Team } from '../teams.ts'

/** What an import carries, beside the external id. */
const FIELDS = [
  ...[
    'title',
    'body',
    'rating',
    'author_name',
    'author_email',
    'author_title',
    'author_company',
    'author_avatar_url',
    'author_website_url',
  ],
  ...[
    'consent_granted',
    'consent_text',
    'consent_granted_at',
    'consent_revoked_at',
    'source_provider',
    'source_url',
    'source_collected_at',
  ],
  ...['language', 'tags', 'metadata', 'featured', 'excerpt', 'position'],
]

/** Records of one side that the other does not have so. */
export interface Difference {
  missing: number
  added: number
}

/** Compares the records of a team with those that were imported from their export: a record without an external id has got its id. */
export async function compareRecords(
  { client }: Database,
  { exported, imported }: { exported: Team; imported: Team },
): Promise<Difference> {
  const records = ({ id, project_id }: Team) => client`
    select coalesce(external_id, id::text) as key, md5(row (${client(FIELDS)})::text) as hash
      from submissions
     where team_id = ${id} and project_id = ${project_id} and deleted_at is null`
  const [difference] = await client<[Difference]>`
    with exported as materialized (${records(exported)}),
         imported as materialized (${records(imported)})
    select (select count(*)::int from (select * from exported except all select * from imported) d) as missing,
           (select count(*)::int from (select * from imported except all select * from exported) d) as added`
  return difference
}
