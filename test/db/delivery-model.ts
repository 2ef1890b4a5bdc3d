import { redeliver, rotateWebhookSecret, updateWebhook } from '@earshot/db'
import {
  type AttemptRef,
  type ClaimedDelivery,
  claimDeliveries,
  completeDeliveries,
  findDueEndpoints,
  forgetDeadWorkers,
  handBackDeliveries,
  holdDeliveries,
  registerWorker,
  sweepDeliveries,
} from '@earshot/db/dispatch'
import fc from 'fast-check'
import { classifyAttempt, MAX_ATTEMPTS, nextDelayMs } from '../../jobs/src/sending/retry-policy.ts'
import type { WebhookFixture } from '../support/webhook-fixture.ts'

const WORKERS = 2
const SLOTS = 100
const ROTATED = { secret: 'sealed', secret_hint: 'hint', signing_key: 'sealed', public_key: 'whpk_' }
const ACTOR = { userId: null, credentialId: null, credentialKind: 'model', ip: null }

/** The result of an attempt. */
export const answers = {
  success: { statusCode: 204, error: null },
  retryable: { statusCode: 503, error: null },
  final: { statusCode: 404, error: null },
  network: { statusCode: null, error: { code: 'read_timeout' } },
} as const
export type AnswerKind = keyof typeof answers

/** Far enough apart, and from every delay, that the time a run takes does not matter. */
export const passes = { 'a while': 20, 'a lease': 100, 'two days': 180_000 } as const

/** Workers, claims and deliveries are named by their index. */
export type Move =
  | { kind: 'claim' | 'lose a claim' | 'crash' | 'sweep'; worker: number }
  | { kind: 'answer'; worker: number; held: number; answer: AnswerKind }
  | { kind: 'hand back'; worker: number; held: number }
  | { kind: 'pass'; time: keyof typeof passes }
  | { kind: 'redeliver'; delivery: number }
  | { kind: 'emit' | 'pause' | 'resume' | 'disable' | 'rotate' }

export function anyMove(): fc.Arbitrary<Move> {
  const worker = fc.nat({ max: WORKERS - 1 })
  const held = fc.nat({ max: 20 })
  const answer = fc.constantFrom<AnswerKind>('success', 'retryable', 'retryable', 'retryable', 'network', 'network', 'final')
  const of = <Kind extends Move['kind']>(...kinds: Kind[]) => fc.constantFrom(...kinds)
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: of('claim'), worker }) },
    { weight: 8, arbitrary: fc.record({ kind: of('answer'), worker, held, answer }) },
    { weight: 7, arbitrary: fc.record({ kind: of('pass'), time: fc.constantFrom<keyof typeof passes>('a while', 'a lease', 'two days') }) },
    { weight: 4, arbitrary: fc.record({ kind: of('sweep'), worker }) },
    { weight: 3, arbitrary: fc.record({ kind: of('lose a claim', 'crash'), worker }) },
    { weight: 2, arbitrary: fc.record({ kind: of('hand back'), worker, held }) },
    { weight: 2, arbitrary: fc.record({ kind: of('redeliver'), delivery: fc.nat({ max: 20 }) }) },
    { weight: 5, arbitrary: fc.record({ kind: of('emit', 'pause', 'resume', 'resume', 'disable', 'rotate') }) },
  )
}

/** The state in PostgreSQL: each delivery as a line of text, and the endpoint’s record. */
export interface Holdings {
  deliveries: string[]
  endpoint: { state: string; consecutive_failures: number; failing: boolean; succeeded: boolean; rotated: boolean }
}

/** Succeeded, failed and interrupted attempts, as they were noted and as the attempts say. */
interface Figures {
  noted: string
  counted: string
}

/** The real tables, for one endpoint and the deliveries to it. */
export interface Life {
  /** Makes the move and returns its result, if any. */
  befall: (move: Move) => Promise<string>
  holdings: () => Promise<Holdings>
  figures: () => Promise<Figures>
  end: () => Promise<void>
}

/** Creates an endpoint with one delivery, which has failed that often before, and two workers. */
export async function beginLife({ database, teamId, addEndpoint, emit }: WebhookFixture, failedBefore: number): Promise<Life> {
  const { id: endpointId } = await addEndpoint('http://127.0.0.1:9/')
  const ref = { team_id: teamId, webhook_id: endpointId }
  const deliveryIds = await emit()
  const run = (text: string, ...params: unknown[]) => database.run(text, params)
  await run(FAIL_BEFORE, endpointId, failedBefore)
  const hire = async () => {
    const id = await registerWorker(database, { jobPoolId: null })
    // It lives however long the run takes, and may judge others.
    await run("update webhook_workers set seen_at = now() + interval '1 day', steady_since = now() - interval '1 day' where id = $1", id)
    return { id, held: [] as ClaimedDelivery[] }
  }
  const workers = [await hire(), await hire()]
  const workerAt = (place: number) => workers[place] ?? workers[0] ?? never()

  const claim = async (workerId: number) => {
    const look = await findDueEndpoints(database)
    // As a worker does: they are out of sight until the endpoint is resumed.
    await holdDeliveries(database, look.unsendable)
    const due = look.due.filter(({ endpoint_id }) => endpoint_id === endpointId)
    const slots = due.map((endpoint) => ({ ...endpoint, free: SLOTS }))
    return slots.length === 0 ? [] : claimDeliveries(database, { workerId, slots })
  }
  const setState = (state: 'active' | 'paused') => updateWebhook(database, ACTOR, ref, { state }).then(() => '')

  const moves: { [Kind in Move['kind']]: (move: Extract<Move, { kind: Kind }>) => Promise<string> } = {
    async claim({ worker }) {
      const claimed = await claim(workerAt(worker).id)
      const byId = claimed.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      workerAt(worker).held.push(...byId)
      const signs = claimed.some(({ previous_secret }) => previous_secret !== null)
      return `${claimed.length}${signs ? ' with both secrets' : ''}${claimed.some(({ payload }) => payload === null) ? ' without a body' : ''}`
    },
    'lose a claim': async ({ worker }) => String((await claim(workerAt(worker).id)).length),
    async crash({ worker }) {
      await run("update webhook_workers set seen_at = now() - interval '1 minute' where id = $1", workerAt(worker).id)
      workers[worker] = await hire()
      return ''
    },
    async sweep({ worker }) {
      const held = workerAt(worker).held.map(({ attempt_id }) => attempt_id)
      const count = await sweepDeliveries(database, { workerId: workerAt(worker).id, held, heldAt: 'now', maxAttempts: MAX_ATTEMPTS })
      await forgetDeadWorkers(database, workerAt(worker).id)
      return String(count)
    },
    async answer({ worker, held, answer }) {
      const delivery = take(workerAt(worker).held, held)
      if (!delivery) return 'nothing'
      return (await completeDeliveries(database, [resultOf(delivery, answer)])).size === 1 ? 'applied' : 'stale'
    },
    async 'hand back'({ worker, held }) {
      const delivery = take(workerAt(worker).held, held)
      if (delivery) await handBackDeliveries(database, [refOf(delivery)])
      return ''
    },
    async pass({ time }) {
      const seconds = passes[time]
      await run(
        `update webhook_deliveries
            set next_attempt_at = next_attempt_at - $2::int * interval '1 second', lease_until = lease_until - $2::int * interval '1 second'
          where endpoint_id = $1`,
        ...[endpointId, seconds],
      )
      await run(
        "update webhook_endpoints set previous_secret_expires_at = previous_secret_expires_at - $2::int * interval '1 second' where id = $1",
        ...[endpointId, seconds],
      )
      return ''
    },
    async redeliver({ delivery }) {
      const delivery_id = deliveryIds[delivery % deliveryIds.length] ?? ''
      const made = await redeliver(database, ACTOR, { ...ref, delivery_id }).catch((error: { code: string }) => error.code)
      if (typeof made === 'string') return made
      deliveryIds.push(made.id)
      return 'made'
    },
    async emit() {
      deliveryIds.push(...(await emit()))
      return ''
    },
    pause: () => setState('paused'),
    resume: () => setState('active'),
    disable: () => run("update webhook_endpoints set state = 'disabled' where id = $1", endpointId).then(() => ''),
    rotate: () => rotateWebhookSecret(database, ACTOR, ref, { ...ROTATED, isCurrent: () => false }).then(() => ''),
  }

  return {
    // The move's kind chose the function that takes it.
    befall: (move) => (moves[move.kind] as (move: Move) => Promise<string>)(move),
    async holdings() {
      const deliveries = await database.run<{ line: string }>(READ_DELIVERIES, [endpointId, workers.map(({ id }) => id).join()])
      const [endpoint] = await database.run<Holdings['endpoint']>(READ_ENDPOINT, [endpointId])
      return { deliveries: deliveries.map(({ line }) => line), endpoint: endpoint ?? never() }
    },
    figures: async () => (await database.run<Figures>(READ_FIGURES, [endpointId]))[0] ?? never(),
    async end() {
      await run('update webhook_endpoints set deleted_at = now() where id = $1', endpointId)
      await run('delete from webhook_deliveries where endpoint_id = $1', endpointId)
      await run('delete from webhook_workers')
    },
  }
}

const FAIL_BEFORE = `
  with failed as (
    update webhook_deliveries set attempt_count = $2 where endpoint_id = $1 returning *
  )
  insert into webhook_attempts (team_id, delivery_id, endpoint_id, number, trigger, worker_id, finished_at, status_code)
  select team_id, id, endpoint_id, number, trigger, 0, now(), 503 from failed, generate_series(1, $2::int) number`

/** Deliveries in order of creation; workers by index, `?` for one that crashed. */
const READ_DELIVERIES = `
  select concat_ws(' ', d.trigger, d.state, d.attempt_count,
           case when d.next_attempt_at is not null then case when d.next_attempt_at <= now() then 'due' else 'later' end end,
           case when d.worker_id is not null then 'of ' || coalesce((array_position(string_to_array($2, ',')::int[], d.worker_id) - 1)::text, '?') end,
           case when (d.state = 'sending') <> (d.lease_until is not null) then 'lease?' end,
           case when (d.state in ('succeeded', 'failed')) <> (d.finished_at is not null) then 'finished?' end,
           a.outcomes) as line
    from all_webhook_deliveries d
   cross join lateral (
     select string_agg(
              case when t.finished_at is null then 'open' else coalesce(t.error_code, t.status_code::text) end, ',' order by t.number) as outcomes
       from webhook_attempts t
      where t.delivery_id = d.id
   ) a
   where d.endpoint_id = $1
   order by d.id`

const READ_ENDPOINT = `
  select state, consecutive_failures, failing_since is not null as failing, last_success_at is not null as succeeded,
         previous_secret is not null and previous_secret_expires_at > now() as rotated
    from webhook_endpoints
   where id = $1`

/** Without attempts from before the model's time. Nothing folds the changes. */
const READ_FIGURES = `
  select (
           select concat_ws(',', count(*) filter (where outcome = 0), count(*) filter (where outcome in (1, 2)), count(*) filter (where outcome = 4))
             from webhook_attempt_changes, lateral (select code / 256 % 8 as outcome from unnest(codes) code) o where endpoint_id = $1
         ) as noted,
         (
           select concat_ws(',', count(*) filter (where status_code = 204), count(*) filter (where status_code > 204 or error_code = 'read_timeout'),
                    count(*) filter (where error_code = 'interrupted'))
             from webhook_attempts where endpoint_id = $1 and finished_at is not null and worker_id > 0
         ) as counted`

function resultOf(delivery: ClaimedDelivery, kind: AnswerKind) {
  const answer = answers[kind]
  const outcome = classifyAttempt(answer)
  const failed = { attemptNumber: delivery.number, statusCode: answer.statusCode, retryAfterSeconds: null }
  const isRetried = outcome === 'retry' && delivery.trigger !== 'manual'
  return {
    ...{ ...refOf(delivery), succeeded: outcome === 'success', duration_ms: 1, remote_ip: null, status_code: answer.statusCode },
    delay_ms: isRetried ? nextDelayMs(failed, { baseMs: 30_000, random: () => 0.5 }) : null,
    ...{ response_headers: null, response_body: null, response_body_truncated: false, response_body_bytes: null, error_detail: null },
    error_code: answer.error?.code ?? null,
  }
}

function refOf({ team_id, endpoint_id, id, attempt_id, number }: ClaimedDelivery): AttemptRef {
  return { team_id, endpoint_id, delivery_id: id, attempt_id, number }
}

function take<Item>(items: Item[], place: number): Item | undefined {
  return items.splice(place % items.length, 1)[0]
}

function never(): never {
  throw new Error('It was there')
}
