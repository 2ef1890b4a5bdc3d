import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, contracts, type EventType } from '@earshot/contracts'
import { type AttemptRow, beginTestDelivery, findTestDelivery, withdrawTestDelivery } from '@earshot/db'
import type { InTeam } from '../auth/callers.ts'
import { exampleFor } from './event-examples.ts'

/** How long a worker may take to claim the delivery. Then it is withdrawn. */
const CLAIM_MS = 10_000
const WAIT_MS = (contracts.webhooks.test.waitsSeconds ?? 0) * 1000
const POLL_MS = 100

/**
 * Sends a test delivery to an endpoint, and polls until its attempt has ended; between polls it holds no connection.
 * Throws `not_found`, `state_conflict`; `dependency_unavailable` when no worker claims the delivery.
 */
export async function sendTestDelivery(
  { tx, actor, services }: Pick<InTeam, 'tx' | 'actor' | 'services'>,
  { type, ...webhook }: { team_id: string; webhook_id: string; type?: EventType | undefined },
): Promise<AttemptRow> {
  const startedAtMs = performance.now()
  const ref = await beginTestDelivery(tx, actor, webhook, type === undefined ? null : exampleFor(webhook.team_id, type))
  services.nudge()
  for (;;) {
    await delay(POLL_MS)
    const { state, attempt } = await findTestDelivery(tx, ref)
    if (attempt) return attempt
    const waitedMs = performance.now() - startedAtMs
    if (state === 'pending' && waitedMs > CLAIM_MS && (await withdrawTestDelivery(tx, ref))) {
      throw unavailable('No worker picked up the test within 10 seconds; nothing was sent.')
    }
    if (waitedMs > WAIT_MS) throw unavailable('The attempt has not ended yet; see the list of attempts for its result.')
  }
}

function unavailable(detail: string): ApiError {
  return new ApiError('dependency_unavailable', { detail, retryAfterSeconds: 10 })
}
