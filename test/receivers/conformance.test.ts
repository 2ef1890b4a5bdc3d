import { randomBytes } from 'node:crypto'
import { verifyWebhook } from '@earshot/contracts/webhooks'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Received } from '../support/receiver.ts'
import type { DeliverySource } from './delivery-source.ts'
import { type SendingService, startSendingService } from './sending-service.ts'

type Verifier = (delivery: Pick<Received, 'headers' | 'body'>, secret: string) => unknown

const verifiers: Record<string, Verifier> = {
  standardwebhooks: ({ headers, body }, secret) => new Webhook(secret).verify(body, textsOf(headers)),
  // Its header is `t=…,v1=…`; message and signature are made as ours.
  "Stripe's constructEvent": ({ headers, body }, secret) => {
    const { 'x-service-timestamp': timestamp, 'x-service-signature': current, 'x-service-signature-previous': previous } = textsOf(headers)
    const signatures = [current, previous].filter((signature) => signature !== undefined).map((signature) => `v1=${signature}`)
    return Stripe.webhooks.constructEvent(body, [`t=${timestamp}`, ...signatures].join(','), secret)
  },
  'our own verifyWebhook': ({ headers, body }, secret) => verifyWebhook(body, headers, secret),
}

let service: SendingService
let source: DeliverySource
let delivery: Received
beforeAll(async () => {
  service = await startSendingService()
  source = await service.openSource()
  delivery = await source.record()
})
afterEach(() => vi.useRealTimers())
afterAll(async () => {
  await source?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

describe.each(Object.entries(verifiers))('%s', (_name, verify) => {
  const verified = async (changes: Partial<Received> = {}, secret = source.secret) => verify({ ...delivery, ...changes }, secret)

  test('verifies a delivery of the service and returns its event', async () => {
    expect(await verified()).toMatchObject({
      type: 'submission.created',
      team_id: service.teamId,
      data: { submission: { body: expect.stringContaining('Grüße') } },
    })
  })

  test('refuses any changed byte', async () => {
    for (const index of [0, 1, Math.floor(delivery.body.length / 2), delivery.body.length - 1]) {
      const body = Buffer.from(delivery.body)
      body.writeUInt8((body[index] ?? 0) ^ 1, index)
      await expect(verified({ body })).rejects.toThrow()
    }
    await expect(verified({ body: Buffer.concat([delivery.body, Buffer.from('\n')]) })).rejects.toThrow()
  })

  test('refuses another secret', async () => {
    await expect(verified({}, `whsec_${randomBytes(32).toString('base64')}`)).rejects.toThrow()
  })

  test('refuses the delivery once it is more than 300 s old', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 290_000 })
    await expect(verified()).resolves.toBeTruthy()
    vi.setSystemTime(Date.now() + 15_000)
    await expect(verified()).rejects.toThrow()
  })

  test('refuses it with a newer timestamp', async () => {
    const newer = String(Number(delivery.headers['x-service-timestamp']) + 1)
    const headers = { ...delivery.headers, 'x-service-timestamp': newer, 'webhook-timestamp': newer }
    await expect(verified({ headers })).rejects.toThrow()
  })

  test('verifies with both secrets while a rotation lasts', async () => {
    await using rotated = await service.openSource()
    const previous = await rotated.rotate()
    const { headers, body } = await rotated.record()
    expect(await verified({ headers, body }, rotated.secret)).toMatchObject({ type: 'submission.created' })
    expect(await verified({ headers, body }, previous)).toMatchObject({ type: 'submission.created' })
    await expect(verified({ headers, body })).rejects.toThrow()
  })
})

/** Each of them is sent once. */
function textsOf(headers: Received['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
}
