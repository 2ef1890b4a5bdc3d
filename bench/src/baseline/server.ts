import type { AddressInfo } from 'node:net'
import type { DatabaseAddress } from '@earshot/db'
import { fastify } from 'fastify'
import { handleRequests } from '../child-process.ts'
import { openPlain } from '../plain-client.ts'
import { registerList } from './list.ts'
import { registerRespond } from './respond.ts'
import { registerSubmit } from './submit.ts'

/** The pool size of the service on two processors. */
const POOL = 5

let close = async () => {}

handleRequests(start, () => close())

/** Starts the hand-written baseline: Fastify and postgres.js with the same responses for these paths, and nothing else. */
async function start({ address }: { address: DatabaseAddress }): Promise<{ url: string }> {
  const sql = openPlain(address, POOL)
  const app = fastify({ trustProxy: true })
  registerList(app, sql)
  await registerSubmit(app, sql)
  await registerRespond(app, sql)
  await app.listen({ host: '127.0.0.1', port: 0 })
  close = async () => {
    await app.close()
    await sql.end()
  }
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }
}
