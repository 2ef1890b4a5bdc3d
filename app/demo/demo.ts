import { scopes } from '@earshot/contracts'
import {
  createProject,
  createPublicKey,
  createTeamFor,
  createTokenFor,
  createUser,
  type Database,
  findUserByEmail,
  openDatabase,
  type Tx,
  transaction,
  type UserRow,
} from '@earshot/db'
import { createSecretBox, openBlobStore, type SecretBox } from '@earshot/drivers'
import { hashPassword, makePassword, makePublicKey, makeToken } from '@earshot/server'
import type { Config } from '../config.ts'
import { joinStore } from '../store.ts'
import { approveReviews, importReviews } from './import.ts'
import { fillPeople } from './people.ts'
import { CONSENT_TEXT, colleagueOf, type DemoPlace } from './place.ts'
import { fillSubmissions } from './submissions.ts'
import { fillSurveys } from './surveys.ts'
import { fillVideo } from './video.ts'
import { fillWebhooks } from './webhooks.ts'
import { fillWidgets } from './widgets.ts'

const OWNER = 'owner@example.com'
/** How long the demo waits for a worker, on a machine that does much else; and for one of another process, which there may not be. */
const OWN_WORKER_MS = 30_000
const OTHER_WORKER_MS = 5_000

/**
 * Creates a team with a project in which every page has something to show, and a token, and returns what to type next. Later runs create
 * only a token.
 */
export async function makeDemo(config: Config): Promise<string> {
  const store = await joinStore(config, () => {})
  const database = openDatabase({ address: store.address, role: 'earshot_worker', poolSize: 1, applicationName: 'earshot demo' })
  try {
    const known = await findUserByEmail(database, OWNER).catch(() => null)
    const lines = known ? ['The demo data already exists.'] : await fill(database, config, createSecretBox(store.secretKey))
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

async function fill(database: Database, config: Config, secretBox: SecretBox): Promise<string[]> {
  const password = makePassword()
  const passwordHash = await hashPassword(password)
  // All that needs no worker: all of it or nothing is there.
  const { key, ...place } = await transaction(database, async (tx) => {
    const user = await createUser(tx, { email: OWNER, name: 'Olivia Owner', passwordHash })
    const made = await makePlace(tx, user, secretBox)
    await fillSubmissions({ tx, ...made })
    await fillSurveys({ tx, ...made })
    await fillWidgets({ tx, ...made })
    return made
  })
  const blobStore = await openBlobStore(config.storage)
  await fillVideo(database, blobStore, place).finally(blobStore.close)
  const imported = await importReviews(database, place, config.role === 'all' ? OWN_WORKER_MS : OTHER_WORKER_MS)
  await transaction(database, (tx) => fillWebhooks({ tx, ...place }, () => approveReviews(tx, place, imported)))
  return [
    `Demo team of ${OWNER} (password ${password}), with stories, surveys, a video, widgets and webhooks; what is public:`,
    `  ${config.baseUrl}/api/public/v1/projects/${key}/items/`,
  ]
}

/** Makes the team, of the plan that has all features, with its people and its project. */
async function makePlace(tx: Tx, user: UserRow, secretBox: SecretBox): Promise<Omit<DemoPlace, 'tx'> & { key: string }> {
  const owner = colleagueOf(user)
  const team = await createTeamFor(tx, user, { name: 'Northlight', plan: 'business' })
  const { admin, member } = await fillPeople(tx, { team_id: team.id, owner, secretBox })
  const project = await createProject(tx, owner, team.id, {
    ...{ name: 'Northlight Rota', website_url: 'https://example.com', theme_color: '#2457c5', consent_text: CONSENT_TEXT },
    thank_you_text: 'Thank you! We read every story, and we answer most of them.',
  })
  const ids = { team_id: team.id, project_id: project.id }
  const { key } = await createPublicKey(tx, owner, ids, { key: makePublicKey(), label: 'Collection page' })
  return { ids, owner, admin, member, secretBox, key }
}
