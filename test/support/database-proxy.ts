import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { DatabaseAddress } from '@earshot/db'

export interface DatabaseProxy {
  /** The value for `DATABASE_URL`. */
  url: string
  /** Refuses connections and closes open ones, like a server that is stopped. */
  refuse: () => Promise<void>
  /** Accepts connections and passes nothing on, like a server or a network that hangs. */
  hold: () => void
  /** Passes everything on again, with what was held. */
  restore: () => Promise<void>
  /** Alters what PostgreSQL sends, until it is called with null. */
  alterReplies: (alter: ((bytes: Buffer) => Buffer) | null) => void
  /** Alters what clients send, until it is called with null. */
  alterRequests: (alter: ((bytes: Buffer) => Buffer) | null) => void
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a TCP proxy for a PostgreSQL behind a socket directory, which can go away and come back. */
export async function startDatabaseProxy({
  host = '',
  port = 5432,
  user = '',
  password = '',
  database = '',
}: DatabaseAddress): Promise<DatabaseProxy> {
  const pairs = new Set<Socket>()
  let isHolding = false
  const alter: Record<'near' | 'far', ((bytes: Buffer) => Buffer) | null> = { near: null, far: null }
  const server = createServer((near) => {
    const far = connect(join(host, `.s.PGSQL.${port}`))
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      pairs.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        pairs.delete(from)
        to.destroy()
      })
      from.on('data', (bytes) => to.write(alter[from === far ? 'far' : 'near']?.(bytes) ?? bytes))
      if (isHolding) from.pause()
    }
  })
  const listen = (wanted: number) => new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of pairs) socket.destroy()
    })
  await listen(0)
  const { port: ownPort } = server.address() as AddressInfo
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${ownPort}/${database}`,
    refuse: close,
    hold() {
      isHolding = true
      for (const socket of pairs) socket.pause()
    },
    async restore() {
      isHolding = false
      for (const socket of pairs) socket.resume()
      if (!server.listening) await listen(ownPort)
    },
    alterReplies(next) {
      alter.far = next
    },
    alterRequests(next) {
      alter.near = next
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await close()
    },
  }
}
