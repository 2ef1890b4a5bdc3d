import { createDatabaseMail, createOwnAddresses } from '@earshot/drivers'
import { startWorker, type Worker, type WorkerOptions } from '@earshot/jobs'
import type { Team } from './people.ts'
import type { TestService } from './test-service.ts'
import { findSharedConverter, transcoding } from './transcoding.ts'
import { until } from './until.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Pauses that are minutes outside of tests. */
const QUICK = { pollMs: 50, retryMs: 20, findConverter: findSharedConverter }

/** Starts a worker that copies images, from this machine too unless told otherwise. */
export function startImageWorker(
  service: TestService,
  { images, ...webhooks }: Partial<WorkerOptions['webhooks']> & Pick<WorkerOptions, 'images'> = {},
): Promise<Worker> {
  return startWorker({
    address: service.address,
    secretBox: service.secretBox,
    concurrency: 1,
    mailDriver: createDatabaseMail(),
    blobStore: service.blobStore,
    baseUrl: 'http://localhost:8000',
    log: silent,
    transcoding,
    images: { ...QUICK, ...images },
    webhooks: {
      ...{ allowNetworks: [], allowInsecure: false, localTrial: true, backoffBaseMs: 50, version: '1.2.3' },
      ownAddresses: createOwnAddresses([]),
      ...webhooks,
    },
  })
}

/** Makes a submission public whose author has a picture at this address; returns its id. */
export async function publish(service: TestService, team: Team, avatar_url: string | null, email: string | null = null): Promise<string> {
  const client = service.client(team.token)
  const author = { name: 'Ada Lovelace', email, avatar_url }
  const submission = await client.submissions.create({ ...team.project, kind: 'text', body: 'Great.', author, consent: { granted: true } })
  await decide(service, team, submission.id, { action: 'approve' })
  return submission.id
}

export async function decide(
  service: TestService,
  team: Team,
  submission_id: string,
  decision: { action: 'approve' | 'reject'; expected_state?: 'pending' | 'approved' | 'rejected' },
): Promise<void> {
  const { results } = await service.client(team.token).submissions.moderate({ ...team.project, items: [{ submission_id, ...decision }] })
  if (results[0]?.outcome !== 'changed') throw new Error(`The decision changed nothing: ${JSON.stringify(results)}`)
}

/** The picture of the only public item, as visitors get its address. */
export async function shownAvatar(service: TestService, { publicKey }: Team): Promise<string | null | undefined> {
  const { results } = await service.client().public.items.list({ public_key: publicKey })
  return results[0]?.author.avatar_url
}

/** What became of an image. */
export interface CopyFacts {
  state: string
  error_code: string | null
  attempts: number
  width: number | null
  height: number | null
}

export async function factsOf(service: TestService, owner_id: string): Promise<CopyFacts | undefined> {
  const [row] = await service.database.run<CopyFacts>(
    'select state, error_code, attempts, width, height from image_copies where owner_id = $1',
    [owner_id],
  )
  return row
}

/** Waits until an image is copied, or given up. */
export async function untilSettled(service: TestService, owner_id: string): Promise<CopyFacts> {
  let facts: CopyFacts | undefined
  await until(
    'the image is settled',
    async () => {
      facts = await factsOf(service, owner_id)
      return facts !== undefined && facts.state !== 'pending'
    },
    90_000,
  )
  if (!facts) throw new Error('unreachable')
  return facts
}
