import { randomUUID } from 'node:crypto'
import type { Team } from './people.ts'
import type { TestService } from './test-service.ts'
import { until } from './until.ts'

/** Returns an address that nobody else has. */
export function newAddress(): string {
  return `${randomUUID()}@example.com`
}

/** Reads a list to its end. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Erases a person, waits for the end, and returns the receipt. A worker must run. */
export async function erasePerson(service: TestService, { id: team_id, token }: Team, email: string) {
  const { privacy } = service.client(token)
  const { id: request_id } = await privacy.erase({ team_id, email })
  const read = () => privacy.requests.retrieve({ team_id, request_id })
  await until('the erasure is completed', async () => (await read()).state === 'completed')
  return read()
}
