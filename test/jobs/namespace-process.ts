import { createAddressRules, createOwnAddresses, resolveName, shareLookups } from '@earshot/drivers'
import { createSender } from '../../jobs/src/sending/send-delivery.ts'
import { startNameServer } from '../support/name-server.ts'
import { startRawReceiver } from '../support/raw-receiver.ts'

/** A public address by every rule; in this network namespace it is the test’s own. */
const OUTSIDE = '8.8.8.8'
const INSIDE = '127.0.0.1'
const OK = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'
const ZONE: Record<string, string[]> = {
  'outside.example.com': [OUTSIDE],
  'inside.example.com': [INSIDE],
  'inside6.example.com': ['::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'mixed.example.com': [OUTSIDE, INSIDE],
  localhost: [OUTSIDE],
  'fake.localhost': [OUTSIDE],
}

// Runs in a network namespace of the test’s own, where the system’s resolver queries 127.0.0.1: no other resolver is given.
await using names = await startNameServer(
  (name, count) => {
    if (name.startsWith('silent')) return null
    return name === 'rebinding.example.com' ? [count % 2 === 1 ? OUTSIDE : INSIDE] : ZONE[name]
  },
  { port: 53 },
)
const reached: string[] = []
await using receiver = await startRawReceiver(
  (socket, request) => {
    reached.push(socket.localAddress ?? '')
    const elsewhere = `HTTP/1.1 301 Moved\r\nConnection: close\r\nLocation: http://${INSIDE}:${socket.localPort}/\r\nContent-Length: 0\r\n\r\n`
    socket.write(request.startsWith('POST /moved') ? elsewhere : OK)
  },
  { host: '::' },
)
const { send, close } = createSender({
  resolve: shareLookups(resolveName),
  rules: createAddressRules({ allowNetworks: [], allowLoopback: false }),
  allowInsecure: true,
  ownAddresses: createOwnAddresses([]),
  userAgent: 'Earshot-Webhooks/0',
  connectTimeoutMs: 4_000,
})

async function attempt(host: string, path = '/'): Promise<string> {
  const { statusCode, remoteIp, error } = await send({ url: `http://${host}:${receiver.port}${path}`, headers: {}, body: '{}' })
  return [statusCode, remoteIp, error?.code].filter(Boolean).join(' ')
}

const outcomes: Record<string, string | string[]> = {}
for (const name of [...Object.keys(ZONE), 'nowhere.example.com', 'localhost.']) outcomes[name] = await attempt(name)
outcomes['a redirect inside'] = await attempt('outside.example.com', '/moved')
const rebinding: string[] = []
for (let round = 0; round < 10; round += 1) rebinding.push(await attempt('rebinding.example.com'))
outcomes['rebinding.example.com'] = rebinding

// Names that resolved before still do, beside more silent names than there are threads.
let silentEnded = 0
const silent = Array.from({ length: 40 }, async (_, index) => {
  const outcome = await attempt(`silent${index}.example.com`)
  silentEnded += 1
  return outcome
})
outcomes['beside silent names'] = await attempt('outside.example.com')
const silentEndedBefore = silentEnded
outcomes['silent names'] = [...new Set(await Promise.all(silent))]
await close()
console.log(JSON.stringify({ outcomes, reached, connections: receiver.connections, silentEndedBefore, questions: names.questions }))
// A hanging lookup keeps a thread, and with it the process, alive.
process.exit(0)
