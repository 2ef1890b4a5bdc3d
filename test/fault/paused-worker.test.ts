import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTeam } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { publicSubmission } from './load.ts'

const GENEROUS_MS = 60_000

let store: RemoteDatabase
beforeAll(async () => {
  store = await openRemoteDatabase()
})
afterAll(() => store[Symbol.asyncDispose]())

test.for([
  { what: 'a failure', status: 500 },
  { what: 'a success', status: 200 },
])(
  '$what that a paused worker reports after its lease does not change the result of another worker',
  {
    timeout: GENEROUS_MS,
  },
  async ({ status }) => {
    const answers: ((status: number) => void)[] = []
    await using receiver = await startReceiver((response) => void answers.push((code) => response.writeHead(code).end(String(code))))
    await using paused = await startService(store.environment)
    const team = await makeTeam(store.database)
    const client = paused.client(team.token)
    const { id: webhook_id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['*'] })
    await paused.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
    await until('it is in flight', () => answers.length === 1)
    process.kill(paused.pid, 'SIGSTOP')

    await using other = await startService(store.environment)
    await store.database.run("update webhook_deliveries set lease_until = now() - interval '1 second' where team_id = $1", [team.id])
    await until('the other one sends it', () => answers.length === 2)
    answers[1]?.(204)
    const read = async () => {
      const ref = { team_id: team.id, webhook_id }
      const asked = other.client(team.token).webhooks
      return {
        deliveries: (await asked.deliveries.list(ref)).results,
        attempts: (await asked.attempts.list(ref)).results,
        webhook: await asked.retrieve(ref),
      }
    }
    await until('it is delivered', async () => (await read()).deliveries[0]?.state === 'succeeded')
    const before = await read()
    expect(before).toMatchObject({
      deliveries: [{ attempt_count: 2 }],
      attempts: [
        { number: 2, status_code: 204 },
        { number: 1, status_code: null, error: { code: 'interrupted' } },
      ],
    })

    answers[0]?.(status)
    process.kill(paused.pid, 'SIGCONT')
    await until('the late result was refused', async () => staleResults(paused).then((count) => count === 1))
    expect(await read()).toEqual(before)
    expect(new Set(receiver.deliveryIds()).size).toBe(1)
    expect(receiver.requests).toHaveLength(2)
  },
)

async function staleResults(service: ServiceProcess): Promise<number> {
  const { body } = await service.send('GET', '/metrics')
  return Number(/^earshot_webhook_stale_results_total (\d+)/m.exec(body)?.[1])
}
