import { type ClaimedDelivery, claimDeliveries, registerWorker } from '@earshot/db/dispatch'
import type { WebhookFixture } from './webhook-fixture.ts'

/** Claims a delivery of a new event, or the one that is due, for a new worker. */
export async function claimOne(
  fixture: WebhookFixture,
  { emits = true, attemptsBefore = 0 } = {},
): Promise<{ delivery: ClaimedDelivery; workerId: number }> {
  const { client } = fixture.database
  if (emits) {
    await fixture.addEndpoint('http://127.0.0.1:9/')
    await fixture.emit()
    await client`update webhook_deliveries set attempt_count = ${attemptsBefore}`
  }
  const [endpoint] = await client<{ id: string }[]>`select id from webhook_endpoints`
  const workerId = await registerWorker(fixture.database, { jobPoolId: null })
  const slots = [{ team_id: fixture.teamId, endpoint_id: endpoint?.id ?? '', free: 1 }]
  const [delivery] = await claimDeliveries(fixture.database, { workerId, slots })
  if (!delivery) throw new Error('Nothing was claimed')
  return { delivery, workerId }
}
