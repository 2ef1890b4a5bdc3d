import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { ResolveName } from '@earshot/drivers'

const HEADER_BYTES = 12
const QUESTION_TAIL_BYTES = 4
const TYPES = { A: 1, AAAA: 28 }
const NAME_ERROR = 3
/** The time to live: resolvers must not cache. */
const TTL_SECONDS = 0

/** Returns the addresses of a name at its count-th query; undefined for an unknown name, null for no response at all. */
export type Zone = (name: string, count: number) => readonly string[] | undefined | null

export interface NameServer {
  port: number
  /** Names that were queried, in order. The query for IPv4 and the one for IPv6 count once together. */
  questions: string[]
  /** Resolves a name with this server. */
  resolve: ResolveName
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a DNS server on this machine (RFC 1035 over UDP). */
export async function startNameServer(zone: Zone, { host = '127.0.0.1', port = 0 } = {}): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  const given: Record<string, readonly string[] | undefined | null> = {}
  socket.on('message', (message, { address, port: clientPort }) => {
    const { name, type, end } = readQuestion(message)
    // Both families of one lookup get one result, that of the query for IPv4, which comes first.
    if (type === TYPES.A || !(name in given)) {
      if (type === TYPES.A) questions.push(name)
      given[name] = zone(name, questions.filter((asked) => asked === name).length)
    }
    const addresses = given[name]
    if (addresses !== null) socket.send(answerTo(message.subarray(0, end), type, addresses), clientPort, address)
  })
  socket.bind(port, host)
  await once(socket, 'listening')
  const resolvers: Resolver[] = []
  return {
    port: socket.address().port,
    questions,
    async resolve(name) {
      // One each: a resolver that got no response gives up sooner the next time.
      const resolver = new Resolver({ timeout: 30_000, tries: 1 })
      resolvers.push(resolver)
      resolver.setServers([`${host}:${socket.address().port}`])
      const ipv4 = await resolver.resolve4(name).catch(emptyUnlessMissing)
      const ipv6 = await resolver.resolve6(name).catch(emptyUnlessMissing)
      return [...ipv4.map((address) => ({ address, family: 4 })), ...ipv6.map((address) => ({ address, family: 6 }))]
    },
    async [Symbol.asyncDispose]() {
      for (const resolver of resolvers) resolver.cancel()
      socket.close()
      await once(socket, 'close')
    },
  }
}

function emptyUnlessMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENODATA') return []
  throw error
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 1 + QUESTION_TAIL_BYTES }
}

function answerTo(question: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const records = (addresses ?? []).filter((address) => isIPv6(address) === (type === TYPES.AAAA)).map((address) => recordOf(type, address))
  const message = Buffer.concat([question, ...records])
  // A response, recursion available; one question, the answers, nothing else.
  message.writeUInt16BE(0x8180 | (addresses === undefined ? NAME_ERROR : 0), 2)
  for (const [index, count] of [1, records.length, 0, 0].entries()) message.writeUInt16BE(count, 4 + 2 * index)
  return message
}

function recordOf(type: number, address: string): Buffer {
  const data = bytesOf(address)
  const head = Buffer.alloc(HEADER_BYTES)
  // The name is that of the question, by a pointer (RFC 1035 §4.1.4); class IN.
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(TTL_SECONDS, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  // The URL parser writes IPv4 endings in hex and leaves one gap.
  const [before = '', after = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const [left, right] = [before, after].map((side) =>
    side
      .split(':')
      .filter(Boolean)
      .map((part) => Number.parseInt(part, 16)),
  )
  const gap = Array<number>(8 - (left?.length ?? 0) - (right?.length ?? 0)).fill(0)
  return Buffer.from([...(left ?? []), ...gap, ...(right ?? [])].flatMap((part) => [part >> 8, part & 0xff]))
}
