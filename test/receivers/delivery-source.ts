import type { Client } from '@earshot/contracts/client'
import type { Team } from '../support/people.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** An endpoint of the running service that can be made to receive deliveries. */
export interface DeliverySource extends AsyncDisposable {
  /** The current secret. */
  secret: string
  /** Rotates the secret and returns the previous one, which still signs. */
  rotate: () => Promise<string>
  /** Makes the service send a delivery to `url`. Resolves to the status of the response, null without one. */
  sendTo: (url: string) => Promise<number | null>
  /** Makes the service send a delivery to this process. Resolves to the request. */
  record: () => Promise<Received>
}

/** Creates another endpoint of the team, for one receiver. */
export async function openDeliverySource(client: Client, team: Team): Promise<DeliverySource> {
  const { team_id } = team.project
  const recorder = await startReceiver()
  const { id: webhook_id, secret } = await client.webhooks.create({ team_id, url: recorder.url, events: ['submission.created'] })

  /** Returns the status of the response to a new submission’s delivery. */
  async function tell(url: string): Promise<number | null> {
    await client.webhooks.update({ team_id, webhook_id, url })
    const submission = await client.submissions.create({
      ...team.project,
      body: 'Grüße 👋 – "quoted"',
      author: { name: 'Ada' },
    })
    let answered: { status_code: number | null } | undefined
    await until(`${url} gets the submission`, async () => {
      const { results } = await client.webhooks.deliveries.list({ team_id, webhook_id, limit: 1 })
      const [delivery] = results
      if (!JSON.stringify(delivery?.payload ?? null).includes(submission.id)) return false
      const attempts = await client.webhooks.attempts.list({ team_id, webhook_id, delivery_id: delivery?.id })
      answered = attempts.results.find(({ duration_ms }) => duration_ms !== null)
      return answered !== undefined
    })
    return answered?.status_code ?? null
  }

  const source: DeliverySource = {
    secret,
    rotate: async () => {
      const previous = source.secret
      source.secret = (await client.webhooks.rotateSecret({ team_id, webhook_id })).secret
      return previous
    },
    sendTo: tell,
    record: async () => {
      await tell(recorder.url)
      const received = recorder.requests.at(-1)
      if (!received) throw new Error('Nothing was received')
      return received
    },
    [Symbol.asyncDispose]: async () => {
      await client.webhooks.delete({ team_id, webhook_id })
      await recorder[Symbol.asyncDispose]()
    },
  }
  return source
}
