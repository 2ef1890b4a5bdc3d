import { scopes } from '@earshot/contracts'
import {
  createProject,
  createPublicKey,
  createSubmission,
  createTeamFor,
  createTokenFor,
  createUser,
  type Database,
  findUserByEmail,
  moderateSubmission,
  openDatabase,
} from '@earshot/db'
import { hashPassword, makePassword, makePublicKey, makeToken } from '@earshot/server'
import type { Config } from './config.ts'
import { voices } from './demo-voices.ts'
import { joinStore } from './store.ts'

const OWNER = 'owner@example.com'
const APPROVED = 8

/** Creates a team with a project, a token and 20 submissions, and returns what to type next. Later runs create only a token. */
export async function makeDemo(config: Config): Promise<string> {
  const store = await joinStore(config, () => {})
  const database = openDatabase({ address: store.address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot demo' })
  try {
    const known = await findUserByEmail(database, OWNER).catch(() => null)
    const lines = known ? ['The demo data already exists.'] : await fill(database, config)
    const user = known ?? (await findUserByEmail(database, OWNER))
    const { token, hash, hint } = makeToken()
    await createTokenFor(database, user, { name: 'Demo', scopes: [...scopes], hash, hint })
    return [
      ...lines,
      '',
      'Next, in another terminal:',
      `  export EARSHOT_URL=${config.baseUrl}`,
      `  export EARSHOT_TOKEN=${token}`,
      '  npx earshot submissions list --state pending',
      '',
    ].join('\n')
  } finally {
    await database.close()
    await store.close()
  }
}

async function fill(database: Database, config: Config): Promise<string[]> {
  const password = makePassword()
  const user = await createUser(database, { email: OWNER, name: 'Olivia Owner', passwordHash: await hashPassword(password) })
  const team = await createTeamFor(database, user, { name: 'Demo team', plan: config.defaultPlan })
  const actor = { userId: user.id, credentialId: null, credentialKind: 'operator', ip: null }
  const project = await createProject(database, actor, team.id, { name: 'Demo website', website_url: 'https://example.com' })
  const ids = { team_id: team.id, project_id: project.id }
  const { key } = await createPublicKey(database, actor, ids, { key: makePublicKey(), label: 'Demo form' })
  for (const [index, voice] of voices.entries()) {
    const submission = await createSubmission(database, ids, { ...voice, kind: 'text', channel: 'public', consent_granted: true })
    if (index >= APPROVED) continue
    await moderateSubmission(database, actor, { ...ids, submission_id: submission.id }, { to: 'approved', expected_state: 'pending' })
  }
  return [
    `Demo team of ${OWNER} (password ${password}), ${voices.length} submissions, ${APPROVED} of them public:`,
    `  ${config.baseUrl}/api/public/v1/projects/${key}/items/`,
  ]
}
