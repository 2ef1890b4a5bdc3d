import { randomBytes } from 'node:crypto'
import { createTeamFor, createUser, type Database, type DatabaseAddress, openDatabase, updateWebhook } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import type { Log } from '@earshot/jobs'
import type { AttemptRow } from '../../db/src/webhooks/attempts.ts'
import type { DeliveryRow } from '../../db/src/webhooks/deliveries.ts'
import { openTestDatabase } from './test-database.ts'
import { startTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from './test-dispatcher.ts'

export { USER_AGENT } from './test-dispatcher.ts'

const NOBODY = { userId: null, credentialId: null, credentialKind: 'system', ip: null } as const

/** Creates a log that keeps its messages. */
export function keepingLog(): { log: Log; messages: string[] } {
  const messages: string[] = []
  const keep = (fieldsOrMessage: unknown, message?: string) => void messages.push(message ?? String(fieldsOrMessage))
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, messages }
}

interface Endpoint {
  id: string
  secret: string
}

interface EndpointFields {
  events?: string[]
  previousSecret?: string
  previousSecretFor?: string
}

/** A database with a team that has webhooks, and helpers for them. */
export interface WebhookFixture {
  address: DatabaseAddress
  database: Database
  secretKey: Buffer
  teamId: string
  addEndpoint: (url: string, fields?: EndpointFields) => Promise<Endpoint>
  /** Sets the limit of an endpoint, as the service does. */
  setLimit: (endpointId: string, maxPerSecond: number | null) => Promise<void>
  /** Makes that many deliveries of one event, of a type that the endpoint does not name, due now. Returns their ids. */
  addBacklog: (endpointId: string, count: number) => Promise<string[]>
  /** Emits an event and returns its deliveries' ids, one per endpoint that wants it. */
  emit: (type?: string, data?: object) => Promise<string[]>
  delivery: (id: string) => Promise<DeliveryRow>
  attempts: (deliveryId: string) => Promise<AttemptRow[]>
  dispatch: (options?: TestDispatcherOptions) => Promise<TestDispatcher>
  close: () => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

export async function openWebhookFixture(): Promise<WebhookFixture> {
  const { address, database, close } = await openTestDatabase()
  const secretKey = randomBytes(32)
  const secretBox = createSecretBox(secretKey)
  const sql = database.client
  const owner = await createUser(database, { email: `${randomBytes(6).toString('hex')}@example.com`, name: 'Ada', passwordHash: null })
  const { id: teamId } = await createTeamFor(database, owner, { name: 'Acme', plan: 'business' })
  const stops: (() => Promise<void>)[] = []
  const stopAll = async () => {
    await Promise.all(stops.map((stop) => stop()))
    await close()
  }
  const seal = (id: string, secret: string | undefined) =>
    secret === undefined ? null : secretBox.seal('webhook-secret', secret, id).toString('base64')

  return {
    address,
    database,
    secretKey,
    teamId,
    async addEndpoint(url, { events = ['*'], previousSecret, previousSecretFor = '1 hour' } = {}) {
      const [made] = await sql<{ id: string }[]>`select uuidv7() as id`
      const id = made?.id ?? ''
      const secret = makeSecret()
      await sql`
        insert into webhook_endpoints (team_id, id, url, events, secret, secret_hint, previous_secret, previous_secret_expires_at, local_trial)
        values (${teamId}, ${id}, ${url}, ${events}, ${seal(id, secret)}, ${secret.slice(-4)}, ${seal(id, previousSecret)}, now() + ${previousSecretFor}::interval, true)`
      return { id, secret }
    },
    async setLimit(endpointId, maxPerSecond) {
      await updateWebhook(database, NOBODY, { team_id: teamId, webhook_id: endpointId }, { max_per_second: maxPerSecond })
    },
    async addBacklog(endpointId, count) {
      const made = await sql<{ id: string }[]>`
        with event as materialized (select emit_event(${teamId}, null, 'user.profile.updated', '{}'::json) as id)
        insert into webhook_deliveries (team_id, endpoint_id, event_id, event_type, payload_sha256)
        select ${teamId}, ${endpointId}, event.id, 'user.profile.updated', '' from event, generate_series(1, ${count}::int)
        returning id`
      return made.map(({ id }) => id)
    },
    async emit(type = 'submission.created', data = { submission: { id: 'x', body: 'Grüße, 世界 \u{1f600}' } }) {
      const rows = await sql<{ id: string }[]>`
        with emitted as materialized (select emit_event(${teamId}, null, ${type}, ${JSON.stringify(data)}::text::json) as id)
        select id from emitted`
      const made = await sql<{ id: string }[]>`select id from all_webhook_deliveries where event_id = ${rows[0]?.id ?? ''} order by id`
      return made.map(({ id }) => id)
    },
    async delivery(id) {
      const [row] = await sql<DeliveryRow[]>`select * from all_webhook_deliveries where id = ${id}`
      if (!row) throw new Error('There is no such delivery')
      return row
    },
    attempts: async (deliveryId) => [
      ...(await sql<AttemptRow[]>`select * from webhook_attempts where delivery_id = ${deliveryId} order by number, id`),
    ],
    async dispatch(options) {
      const dispatching = await startTestDispatcher({ address, secretBox }, options)
      stops.push(dispatching.stop)
      return dispatching
    },
    close: stopAll,
    [Symbol.asyncDispose]: stopAll,
  }
}

/** Runs one statement as the role that the service logs in with. */
export async function asOperator(address: DatabaseAddress, text: string): Promise<Record<string, unknown>[]> {
  const login = openDatabase({ address, poolSize: 1, applicationName: 'earshot test' })
  const rows = await login.client.unsafe(text)
  await login.close()
  return [...rows]
}

export function makeSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
