import { randomBytes } from 'node:crypto'
import { type Plan, type Role, type Scope, scopes } from '@earshot/contracts'
import {
  addTeamMember,
  createProject,
  createPublicKey,
  createSession,
  createSubmission,
  createTeamFor,
  createTokenFor,
  createUser,
  type Database,
  type NewSubmission,
  type SubmissionRow,
  type UserRow,
} from '@earshot/db'
import { hashPassword, makePublicKey, makeToken } from '@earshot/server'

import { PASSWORD } from './password.ts'

export { PASSWORD } from './password.ts'

/** A team with its owner, a project and their credentials. */
export interface Team {
  id: string
  ownerId: string
  project: { team_id: string; project_id: string }
  publicKey: string
  /** The owner's token with every scope. */
  token: string
  /** Adds a member. */
  join: (role: Role) => Promise<UserRow>
  /** Adds a member and returns a token of theirs. */
  tokenOf: (role: Role, tokenScopes?: readonly Scope[]) => Promise<string>
  submit: (fields?: Partial<NewSubmission>) => Promise<SubmissionRow>
}

export async function makeTeam(database: Database, { plan = 'business' }: { plan?: Plan } = {}): Promise<Team> {
  const owner = await makeUser(database)
  const team = await createTeamFor(database, owner, { name: 'Acme', plan })
  const actor = { userId: owner.id, credentialId: null, credentialKind: 'operator', ip: null }
  const { id: project_id } = await createProject(database, actor, team.id, { name: 'Website' })
  const project = { team_id: team.id, project_id }
  const { key } = await createPublicKey(database, actor, project, { key: makePublicKey(), label: null })
  const join = async (role: Role) => {
    const user = await makeUser(database)
    await addTeamMember(database, { team_id: team.id, userId: user.id, role })
    return user
  }
  return {
    id: team.id,
    ownerId: owner.id,
    project,
    publicKey: key,
    token: await makeTokenOf(database, owner, scopes),
    join,
    tokenOf: async (role, tokenScopes = scopes) => makeTokenOf(database, await join(role), tokenScopes),
    submit: (fields) =>
      createSubmission(database, project, { kind: 'text', channel: 'api', body: 'Saved us a week.', author_name: 'Ada', ...fields }),
  }
}

/** Adds submissions in one statement, without what a submission of the API causes, such as events. Returns their ids, oldest first. */
export async function addSubmissions(
  database: Database,
  { project }: Pick<Team, 'project'>,
  count: number,
  body: string,
): Promise<string[]> {
  const rows = await database.run<{ id: string }>(
    `insert into submissions (team_id, project_id, kind, channel, body, author_name)
     select $1, $2, 'text', 'api', $4, 'Ada' from generate_series(1, $3::int)
     returning id`,
    [project.team_id, project.project_id, count, body],
  )
  return rows.map(({ id }) => id).sort()
}

export async function makeUser(database: Database, password?: string) {
  const name = `user-${randomBytes(6).toString('hex')}`
  const passwordHash = password === undefined ? null : await hashOf(password)
  return createUser(database, { email: `${name}@example.com`, name, passwordHash })
}

/** Gives a user the common password. */
export async function givePassword(database: Database, userId: string): Promise<void> {
  await database.run('update users set password_hash = $2 where id = $1', [userId, await hashOf(PASSWORD)])
}

let commonHash: Promise<string> | undefined

/** Hashes a password, the common one only once: hashing is slow on purpose. */
async function hashOf(password: string): Promise<string> {
  if (password !== PASSWORD) return hashPassword(password)
  commonHash ??= hashPassword(password)
  return commonHash
}

export async function makeTokenOf(
  database: Database,
  user: Awaited<ReturnType<typeof makeUser>>,
  tokenScopes: readonly Scope[],
): Promise<string> {
  const { token, hash, hint } = makeToken()
  await createTokenFor(database, user, { name: 'Test', scopes: tokenScopes, hash, hint })
  return token
}

/** Begins a session of a user. Returns its id. */
export async function beginSession(database: Database, userId: string): Promise<string> {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  await createSession(database, { hash: randomBytes(32), userId, expiresAt, ip: '127.0.0.1', userAgent: null })
  const [session] = await database.run<{ id: string }>(
    "select id from credentials where user_id = $1 and kind = 'session' order by id desc",
    [userId],
  )
  return session?.id ?? ''
}
