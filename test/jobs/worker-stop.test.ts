import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { openTranscodingFixture, type TranscodingFixture } from '../support/transcoding-fixture.ts'
import { until } from '../support/until.ts'

let fixture: TranscodingFixture
beforeAll(async () => {
  fixture = await openTranscodingFixture()
})
afterAll(() => fixture.close())

test('a part that fails to stop does not keep another from writing its result', async () => {
  const { service, team } = fixture
  const answers: (() => void)[] = []
  await using receiver = await startReceiver((response) => void answers.push(() => response.end()))
  const transcoder = {
    name: 'one that does not close',
    transcode: () => new Promise<never>((_resolve, reject) => void setTimeout(() => reject(new Error('ended')), 1_000)),
    close: async () => {
      throw new Error('does not close')
    },
  }
  let isFound = false
  const find = async () => {
    isFound = true
    return { transcoder }
  }
  const worker = await fixture.start({ find })
  await fixture.upload()
  const client = service.client(team.token)
  const { id: webhook_id } = await client.webhooks.create({ team_id: team.id, url: receiver.url, events: ['submission.created'] })
  await team.submit()
  await until('the delivery is in flight and the transcoder is loaded', () => receiver.requests.length === 1 && isFound)

  const stopped = worker.stop({ timeoutMs: 10_000 })
  // The transcode ends, and its transcoder fails to close, before the receiver answers.
  setTimeout(() => answers.forEach((answer) => void answer()), 2_500)
  await stopped
  const { results } = await client.webhooks.deliveries.list({ team_id: team.id, webhook_id })
  expect(results).toMatchObject([{ state: 'succeeded', attempt_count: 1 }])
})
