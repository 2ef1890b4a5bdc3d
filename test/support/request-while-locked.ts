import { vi } from 'vitest'
import type { TestResponse, TestService } from './test-service.ts'

const IS_WAITING = 'select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted'

/** The answer to a request that waits for the team's row, while a change is made and committed by who holds it. */
export async function meanwhile(
  { database }: TestService,
  { id }: { id: string },
  { change, request }: { change: readonly [text: string, params: readonly unknown[]]; request: () => Promise<TestResponse> },
): Promise<TestResponse> {
  const { answer } = await database.transaction(async (tx) => {
    await tx.run('select from teams where id = $1 for no key update', [id])
    const answer = request()
    await vi.waitUntil(async () => (await database.run(IS_WAITING, [])).length > 0, { timeout: 10_000 })
    await tx.run(...change)
    return { answer }
  })
  return answer
}
