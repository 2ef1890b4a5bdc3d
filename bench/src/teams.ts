import { scopes } from '@earshot/contracts'
import {
  createProject,
  createPublicKey,
  createTeamFor,
  createTokenFor,
  createUser,
  type Database,
  type DatabaseAddress,
  openDatabase,
} from '@earshot/db'
import { hashPassword, makePublicKey, makeToken } from '@earshot/server'

/** A team with a project and its credentials. */
export interface Team {
  id: string
  project_id: string
  publicKey: string
  token: string
  ownerEmail: string
}

/** The password of every owner. */
export const PASSWORD = 'correct horse battery staple'

/** Creates teams on the largest plan, each with its own owner. */
export async function createTeams(database: Database, count: number): Promise<Team[]> {
  const teams: Team[] = []
  const passwordHash = await hashPassword(PASSWORD)
  for (let number = 0; number < count; number += 1) teams.push(await createTeam(database, passwordHash))
  // As autovacuum would within a minute: the first plans were made for empty tables.
  await analyze(database)
  return teams
}

/** Inserts a hundred submissions into each project. */
export async function fillWithSubmissions(database: Database): Promise<void> {
  await database.client`
    insert into submissions (team_id, project_id, kind, channel, title, body, rating, author_name, author_email, author_company, consent_granted, consent_granted_at, tags, metadata)
    select team_id, id, 'text', 'public', 'Worth every minute', repeat('Saved us a week. ', 10), 1 + i % 5, 'Ada ' || i, 'ada' || i || '@example.com',
           'Analytical Engines', true, now(), '{home,launch}', '{"page": "/pricing"}'
      from projects, generate_series(1, 100) i`
  await analyze(database)
}

/** Opens a pool on the database of the running service. */
export function openBenchDatabase(address: DatabaseAddress): Database & AsyncDisposable {
  const database = openDatabase({ address, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot bench' })
  return { ...database, [Symbol.asyncDispose]: database.close }
}

/** Analyzes the tables, as their owner: other roles cannot. */
export async function analyze(database: Database): Promise<void> {
  await database.client.begin(async (tx) => {
    await tx`set local role none`
    await tx`analyze`
  })
}

/** Vacuums, analyzes and writes a checkpoint, so that none of it happens during a measurement. */
export async function tidy({ client }: Database): Promise<void> {
  const session = await client.reserve()
  await session`set role none`
  await session`vacuum analyze`
  await session`checkpoint`
  await session`reset role`
  session.release()
}

async function createTeam(database: Database, passwordHash: string): Promise<Team> {
  const { token, hash, hint } = makeToken()
  const owner = await createUser(database, { email: `${token}@example.com`, name: 'Bench', passwordHash })
  const team = await createTeamFor(database, owner, { name: 'Bench', plan: 'business' })
  const actor = { userId: owner.id, credentialId: null, credentialKind: 'operator', ip: null }
  const project = await createProject(database, actor, team.id, { name: 'Bench' })
  const projectRef = { team_id: team.id, project_id: project.id }
  const { key } = await createPublicKey(database, actor, projectRef, { key: makePublicKey(), label: null })
  await createTokenFor(database, owner, { name: 'Bench', scopes: [...scopes], hash, hint })
  return { id: team.id, project_id: project.id, publicKey: key, token, ownerEmail: owner.email }
}
