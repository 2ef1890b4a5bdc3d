import type { Team } from '../teams.ts'
import type { WebhookFixture } from './fixture.ts'

/** Returns the payload of an event, so that the bare loop sends the same bytes as the service. */
export async function payloadOf({ database, emit }: WebhookFixture, team: Team): Promise<string> {
  await emit(team)
  const [row] = await database.client<[{ payload: string }]>`select payload from events where team_id = ${team.id} limit 1`
  return row.payload
}
