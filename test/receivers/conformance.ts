import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { signWebhook } from '@earshot/contracts/webhooks'
import type { Received } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import type { DeliverySource } from './delivery-source.ts'
import { type Command, startExample } from './example-process.ts'

/** The results of a conforming receiver, mostly statuses, which `tryReceiver` returns. */
export const CONFORMING = {
  'a delivery of the service': 200,
  'one whose bytes were recorded': 200,
  'the same once more': 200,
  'how often one was new': 2,
  'how often one was known': 1,
  'a changed byte': 400,
  'a changed timestamp': 400,
  'another secret': 400,
  'a signature that is no text': 400,
  'no signature': 400,
  'signed 300 s ago': 400,
  'signed for 301 s ahead': 400,
  'with the previous secret, after a rotation': 200,
}

interface Conformance {
  /** How old a refused timestamp is: verifiers of Standard Webhooks accept the 300th second. */
  toleranceSeconds?: number
}

/** Starts the receiver with the endpoint’s secret, and sends it deliveries of the service and forgeries. */
export async function tryReceiver(
  source: DeliverySource,
  command: Command,
  { toleranceSeconds = 300 }: Conformance = {},
): Promise<typeof CONFORMING> {
  await using receiver = await startExample(command, source.secret)
  const delivered = await source.sendTo(receiver.url)
  const recorded = await source.record()
  const { body } = recorded
  const send = (changes: Record<string, string | undefined>, bytes: Buffer = body) => sendAgain(receiver.url, recorded, changes, bytes)
  const signed = async (secret: string, secondsAgo: number) =>
    send(
      await signWebhook({
        body,
        secret,
        timestampSeconds: nowSeconds() - secondsAgo,
        deliveryId: `made-${randomBytes(4).toString('hex')}`,
      }),
    )

  const count = (word: string) => receiver.output().match(new RegExp(`^receiver: ${word} `, 'gm'))?.length ?? 0
  const first = await send({})
  const second = await send({})
  // Its output may arrive after its response, and never from a receiver that does not conform.
  await until('it has reported all three', () => count('verified') + count('already has') >= 3, 5_000).catch(() => {})
  const verdicts = {
    'a delivery of the service': delivered ?? 0,
    'one whose bytes were recorded': first,
    'the same once more': second,
    'how often one was new': count('verified'),
    'how often one was known': count('already has'),
    'a changed byte': await send({}, Buffer.from(String(body).replace('quoted', 'Quoted'))),
    'a changed timestamp': await send(withBoth('timestamp', String(nowSeconds() + 5))),
    'another secret': await signed(`whsec_${randomBytes(32).toString('base64')}`, 0),
    'a signature that is no text': await send(withBoth('signature', 'v1,\u00e9\u00ff')),
    'no signature': await send(withBoth('signature', undefined)),
    'signed 300 s ago': await withinSecond(() => signed(source.secret, toleranceSeconds)),
    'signed for 301 s ahead': await withinSecond(() => signed(source.secret, -toleranceSeconds - 1)),
    'with the previous secret, after a rotation': 0,
  }
  await source.rotate()
  return { ...verdicts, 'with the previous secret, after a rotation': (await source.sendTo(receiver.url)) ?? 0 }
}

/** Returns one header under both prefixes. */
function withBoth(name: 'timestamp' | 'signature', value: string | undefined) {
  return { [`x-service-${name}`]: value, [`webhook-${name}`]: value }
}

/** Sends the recorded request with other headers or bytes. */
async function sendAgain(url: string, recorded: Received, changes: Record<string, string | undefined>, body: Buffer): Promise<number> {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of Object.entries({ ...recorded.headers, ...lowerCased(changes) }))
    if (/^(x-service|webhook)-/.test(name) && typeof value === 'string') headers.set(name, value)
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
  await answer.text()
  return answer.status
}

function lowerCased(headers: Record<string, string | undefined>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Runs it when a second begins, and again if the second was over before the answer came: a timestamp has no fraction, so a
 * second later it is judged by another distance.
 */
async function withinSecond<Result>(run: () => Promise<Result>): Promise<Result> {
  for (;;) {
    await setTimeout(1000 - (Date.now() % 1000))
    const second = nowSeconds()
    const result = await run()
    if (nowSeconds() === second) return result
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
