import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, contracts } from '@earshot/contracts'
import { type AttemptRow, beginTestDelivery, findTestDelivery, withdrawTestDelivery } from '@earshot/db'
import type { InTeam } from '../http/implement.ts'

/** How long a worker may take to take it up; after that nothing is sent any more. */
const TAKE_MS = 10_000
const WAIT_MS = (contracts.webhooks.test.waitsSeconds ?? 0) * 1000
const LOOK_MS = 100

/**
 * Sends a delivery that tries an endpoint, and waits for its attempt to end. Between two looks nothing of the pool is held.
 * Throws `not_found`, `state_conflict`; `dependency_unavailable` when no worker takes it up.
 */
export async function sendTestDelivery(
  { tx, actor, services }: Pick<InTeam, 'tx' | 'actor' | 'services'>,
  webhook: { team_id: string; webhook_id: string },
): Promise<AttemptRow> {
  const startedAtMs = performance.now()
  const ref = await beginTestDelivery(tx, actor, webhook)
  services.nudge()
  for (;;) {
    await delay(LOOK_MS)
    const { state, attempt } = await findTestDelivery(tx, ref)
    if (attempt) return attempt
    const waitedMs = performance.now() - startedAtMs
    if (state === 'pending' && waitedMs > TAKE_MS && (await withdrawTestDelivery(tx, ref))) {
      throw unavailable('No worker took the test up within 10 seconds; nothing was sent.')
    }
    if (waitedMs > WAIT_MS) throw unavailable('The attempt has not ended yet; look for it in the list of attempts.')
  }
}

function unavailable(detail: string): ApiError {
  return new ApiError('dependency_unavailable', { detail, retryAfterSeconds: 10 })
}
