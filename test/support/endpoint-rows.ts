import { randomBytes } from 'node:crypto'
import { createSecretBox } from '@earshot/drivers'
import type postgres from 'postgres'
import type { RemoteDatabase } from './remote-database.ts'

interface EndpointRow {
  url: string
  isLocalTrial: boolean
}

/** Writes endpoints of a team past the service, which checks their addresses. Returns their ids. */
export async function insertEndpoints(
  client: postgres.Sql,
  { EARSHOT_SECRET_KEY }: Pick<RemoteDatabase['environment'], 'EARSHOT_SECRET_KEY'>,
  { teamId, rows }: { teamId: string; rows: readonly EndpointRow[] },
): Promise<string[]> {
  const box = createSecretBox(Buffer.from(EARSHOT_SECRET_KEY, 'base64'))
  const made = await client<{ id: string }[]>`select uuidv7() as id from generate_series(1, ${rows.length}::int)`
  const endpoints = made.map(({ id }, index) => ({
    ...{ id, url: rows[index]?.url, local_trial: rows[index]?.isLocalTrial },
    secret: box.seal('webhook-secret', `whsec_${randomBytes(32).toString('base64')}`, id).toString('base64'),
  }))
  await client`
    insert into webhook_endpoints (team_id, id, url, events, secret, secret_hint, local_trial)
    select ${teamId}, e.id, e.url, '{*}', e.secret, 'hint', e.local_trial
      from jsonb_to_recordset(${JSON.stringify(endpoints)}::text::jsonb) e (id uuid, url text, secret text, local_trial boolean)`
  return endpoints.map(({ id }) => id)
}
