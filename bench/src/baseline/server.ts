import type { AddressInfo } from 'node:net'
import type { DatabaseAddress } from '@earshot/db'
import { fastify } from 'fastify'
import { answerParent } from '../child-process.ts'
import { openPlain } from '../plain-client.ts'
import { registerList } from './list.ts'
import { registerSubmit } from './submit.ts'

/** As many as the service has on two processors. */
const POOL = 5

let close = async () => {}

answerParent(start, () => close())

/** What one would write by hand for these few paths: Fastify and postgres.js, the same answers, nothing else. */
async function start({ address }: { address: DatabaseAddress }): Promise<{ url: string }> {
  const sql = openPlain(address, POOL)
  const app = fastify({ trustProxy: true })
  registerList(app, sql)
  registerSubmit(app, sql)
  await app.listen({ host: '127.0.0.1', port: 0 })
  close = async () => {
    await app.close()
    await sql.end()
  }
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }
}
