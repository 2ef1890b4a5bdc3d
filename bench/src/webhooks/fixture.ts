import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import { type Child, startChild } from '../child-process.ts'
import type { Receipts } from '../receiver.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const POLL_MS = 20
const DATA = { submission: { body: 'Saved us a week.', rating: 5, author: { name: 'Ada Lovelace' }, consent: { granted: true } } }

/** A change that the service has accepted: its submission, or its event. */
export interface Accepted {
  id: string
  /** When the response came, in milliseconds since 1970. */
  acceptedMs: number
}

/** The service with teams, and a receiver whose paths respond well or badly. */
export interface WebhookFixture extends AsyncDisposable {
  service: ServiceProcess
  database: Database
  receiver: Child
  /** The URL of the receiver, with a slash at the end. */
  url: string
  teams: Team[]
  /** Adds endpoints to a team, each with its own URL below the path, and returns their ids. */
  addEndpoints: (team: Team, count: number, path: string, fields?: { isFailing?: boolean }) => Promise<string[]>
  /** Emits events of a team, each to all of its endpoints; returns the first. */
  emit: (team: Team, events?: number) => Promise<Accepted>
  /** Waits until the receiver has counted this many receipts. */
  waitForReceipts: (count: number) => Promise<Receipts>
}

/** Starts the service, as a worker unless `role` says otherwise, with its own PostgreSQL. */
export async function openWebhookFixture({
  role = 'worker',
  teams: count = 1,
  options = [],
}: {
  role?: 'api' | 'worker' | 'all'
  teams?: number
  /** Of the command line. */
  options?: string[]
} = {}): Promise<WebhookFixture> {
  const stack = new AsyncDisposableStack()
  const directory = stack.use(createTemporaryDirectory())
  const key = randomBytes(32)
  const service = stack.use(
    await startService(
      directory.path,
      {
        EARSHOT_ROLE: role,
        EARSHOT_WORKER_PORT: '0',
        EARSHOT_SECRET_KEY: key.toString('base64'),
        EARSHOT_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
        EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on',
        EARSHOT_LOG_LEVEL: 'warn',
      },
      options,
    ),
  )
  const database = stack.use(openBenchDatabase(service.address))
  const receiver = stack.use(await startChild(new URL('../receiver.ts', import.meta.url)))
  const { url } = await receiver.call<{ url: string }>('start')
  const teams = await createTeams(database, count)
  const secretBox = createSecretBox(key)
  const secret = `whsec_${randomBytes(32).toString('base64')}`

  return {
    ...{ service, database, receiver, url, teams },
    async addEndpoints({ id }, endpoints, path, { isFailing = false } = {}) {
      const made = await database.client<{ id: string }[]>`select uuidv7() as id from generate_series(1, ${endpoints}::int)`
      const ids = made.map(({ id: endpointId }) => endpointId)
      const sealed = ids.map((endpointId) => secretBox.seal('webhook-secret', secret, endpointId).toString('base64'))
      await database.client`
        insert into webhook_endpoints (team_id, id, url, events, secret, secret_hint, failing_since)
        select ${id}, e.id, ${url + path} || '/' || e.number, '{*}', e.secret, 'hint', case when ${isFailing} then now() end
          from unnest(${ids}::uuid[], ${sealed}::text[]) with ordinality e (id, secret, number)`
      return ids
    },
    async emit({ id, project_id }, events = 1) {
      const [event] = await database.client<{ id: string }[]>`
        select emit_event(${id}, ${project_id}, 'submission.created', ${JSON.stringify(DATA)}::text::json) as id
          from generate_series(1, ${events}::int)`
      return { id: event?.id ?? '', acceptedMs: Date.now() }
    },
    async waitForReceipts(receipts) {
      for (;;) {
        const read = await receiver.call<Receipts>('read')
        if (read.count >= receipts) return read
        await delay(POLL_MS)
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
