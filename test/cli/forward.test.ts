import { expect, test } from 'vitest'
import { forward } from '../../cli/src/forward.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeSecret } from '../support/webhook-fixture.ts'

test('requests of `earshot listen` are spans of their own in the trace of the event, as those of deliveries are', async () => {
  await using receiver = await startReceiver()
  const event = { id: '01a1fe05-a24c-7ba8-87d3-aff0a0245ce1', type: 'submission.created', text: '{}' }
  const send = () => forward(receiver.url, event, makeSecret(), new AbortController().signal)
  expect([await send(), await send()]).toMatchObject([{ status: 200 }, { status: 200 }])
  const sent = receiver.requests.map(({ headers }) => headers.traceparent)
  for (const one of sent) expect(one).toMatch(/^00-01a1fe05a24c7ba887d3aff0a0245ce1-[0-9a-f]{16}-01$/)
  expect(new Set(sent).size).toBe(2)
})
