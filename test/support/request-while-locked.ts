import type { TestResponse, TestService } from './test-service.ts'
import { until } from './until.ts'

const IS_WAITING = 'select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted'

/** Sends a request that waits for the locked team row, commits a change meanwhile, and returns the response. */
export async function meanwhile(
  { database }: TestService,
  { id }: { id: string },
  { change, request }: { change: readonly [text: string, params: readonly unknown[]]; request: () => Promise<TestResponse> },
): Promise<TestResponse> {
  const { answer } = await database.transaction(async (tx) => {
    await tx.run('select from teams where id = $1 for no key update', [id])
    const answer = request()
    await until('the request waits', async () => (await database.run(IS_WAITING, [])).length > 0)
    await tx.run(...change)
    return { answer }
  })
  return answer
}
