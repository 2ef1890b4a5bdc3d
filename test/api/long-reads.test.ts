import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { number, openStream } from '../support/event-stream.ts'
import { makeTeam } from '../support/people.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

const POOL_SIZE = 2
/** Longer than a request waits for connections in all. */
const OPEN_FOR_MS = 3_100

test('a stream that has been open for long outlasts seconds in which all connections are busy', async () => {
  const store = await openTestDatabase({ poolSize: POOL_SIZE })
  const service = await startTestService({ database: store.database, streamHeartbeatMs: 500 }, { store })
  const team = await makeTeam(store.database)
  const stream = await openStream(service, team)
  await delay(OPEN_FOR_MS)
  await Promise.all(Array.from({ length: POOL_SIZE }, () => store.database.run('select pg_sleep(2.5)', [])))
  await team.submit()
  await number(store)
  await expect.poll(() => stream.hasEnded() || stream.ids().length).toBe(1)
  stream.close()
  await service.close()
  await store.close()
})
