import type { Database } from '@earshot/db'
import type { Sql } from 'postgres'
import { createTeams, type Team } from '../teams.ts'
import type { Site } from './site.ts'
import { ENDPOINTS_PER_TEAM, type Sizes } from './sizes.ts'

const SEALED_AT_ONCE = 20_000

/** The teams that are measured by name; all others are alike. */
export interface MeasuredTeams {
  /** With a tenth of all submissions, and the busiest endpoints. */
  large: Team
  small: Team
  /** One for each fill. */
  purged: Team[]
}

/**
 * Creates teams with a project, key, owner, token and endpoints. `bench.teams` and `bench.endpoints` number them for the
 * statements that fill the rest: the large team first, those to purge and the small one last.
 */
export async function fillTeams(
  site: Site,
  { client, database }: { client: Sql; database: Database },
  sizes: Sizes,
): Promise<MeasuredTeams> {
  const [large, small, ...purged] = await createTeams(database, 2 + sizes.attempts.length)
  if (!large || !small) throw new Error('There are at least two teams.')
  await client`create schema bench authorization earshot_owner`
  await client`alter default privileges in schema bench grant select on tables to earshot_owner`
  await client`
    create table bench.teams as
    select i as number, uuidv7() as team_id, uuidv7() as project_id, uuidv7() as user_id
      from generate_series(1, ${sizes.teams}::int) i`
  for (const [index, team] of [small, ...purged, large].entries()) {
    const number = team === large ? 1 : sizes.teams - index
    await client`update bench.teams set team_id = ${team.id}, project_id = ${team.project_id}, user_id = null where number = ${number}`
  }
  await client`alter table bench.teams add primary key (number)`
  await fillAccounts(client)
  await fillEndpoints(site, client)
  return { large, small, purged }
}

async function fillAccounts(client: Sql): Promise<void> {
  await client`
    insert into users (id, email, name, email_verified_at)
    select user_id, 'owner' || number || '@example.com', 'Owner ' || number, now() from bench.teams where user_id is not null`
  await client`
    insert into credentials (kind, hash, user_id, name, hint, scopes)
    select 'pat', sha256(uuid_send(user_id)), user_id, 'Bench', 'hint', '{read:submissions}' from bench.teams where user_id is not null`
  await client`
    insert into teams (id, name, slug, plan, nps_low_score_threshold, cors_origins, locale, created_by)
    select team_id, 'Team ' || number, 'team-' || number, 'business', 6, '{}', 'en', user_id from bench.teams where user_id is not null`
  await client`
    insert into memberships (team_id, user_id, role)
    select team_id, user_id, 'owner' from bench.teams where user_id is not null`
  await client`
    insert into projects (team_id, id, name, slug, collects_text, collects_video, collects_rating, consent_text, thank_you_text)
    select team_id, project_id, 'Bench', 'bench', true, true, true, 'You may publish it.', 'Thank you.' from bench.teams where user_id is not null`
  await client`
    insert into public_keys (team_id, project_id, key)
    select team_id, project_id, 'pk_' || lpad(number::text, 24, '0') from bench.teams`
  // Triggers are off.
  await client`
    insert into key_routes (key_hash, team_id, project_id, record_id)
    select sha256(convert_to(key, 'UTF8')), team_id, project_id, id from public_keys
        on conflict do nothing`
}

/** The public key of a team by its number in `bench.teams`. */
export function publicKeyOf(number: number): string {
  return `pk_${String(number).padStart(24, '0')}`
}

/** One endpoint in ten of a team wants all events, so that a submission has three deliveries. */
async function fillEndpoints({ url, secretBox }: Site, client: Sql): Promise<void> {
  await client`
    create table bench.endpoints as
    select (t.number - 1) * ${ENDPOINTS_PER_TEAM}::int + n as number, t.team_id, t.project_id, uuidv7() as endpoint_id
      from bench.teams t
     cross join generate_series(1, ${ENDPOINTS_PER_TEAM}::int) n
     order by 1`
  await client`alter table bench.endpoints add primary key (number)`
  const endpoints = await client<{ id: string }[]>`select endpoint_id as id from bench.endpoints order by number`
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  for (let start = 0; start < endpoints.length; start += SEALED_AT_ONCE) {
    const ids = endpoints.slice(start, start + SEALED_AT_ONCE).map(({ id }) => id)
    const secrets = ids.map((id) => secretBox.seal('webhook-secret', secret, id).toString('base64'))
    await client`
      insert into webhook_endpoints (team_id, id, url, events, secret, secret_hint)
      select b.team_id, b.endpoint_id, ${`${url}scale/`} || b.number, case when b.number % 10 = 0 then '{*}'::text[] else '{submission.rejected}' end,
             s.secret, 'hint'
        from unnest(${ids}::uuid[], ${secrets}::text[]) s (id, secret)
        join bench.endpoints b on b.endpoint_id = s.id`
  }
}
