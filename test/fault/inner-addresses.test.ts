import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createAddressRules } from '@earshot/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertEndpoints } from '../support/endpoint-rows.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { openRemoteDatabase, type RemoteDatabase } from '../support/remote-database.ts'
import { type Reply, type ServiceProcess, startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { insideForms } from './inner-address-forms.ts'
import { publicSubmission } from './load.ts'

const ODD_PORTS = [1, 65_535]

const listener = await startCounting(0)
const strict = createAddressRules({ allowNetworks: [], allowLoopback: false })
const machineAddresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
const ownAddresses = machineAddresses.map(({ address }) => address).filter((address) => !strict.isAllowed(address))
const forms = insideForms(listener.port, ownAddresses)

interface Attempted {
  url: string
  state: string
  attempt_count: number
  error_code: string | null
  remote_ip: string | null
}

let store: RemoteDatabase
let service: ServiceProcess
let team: Team
const oddListeners: Counting[] = []
const answers = new Map<string, Reply>()
const attempted = new Map<string, Attempted>()

// As strict as a service is that faces the world, but for plain http, which would hide the other reasons.
beforeAll(async () => {
  for (const port of ODD_PORTS)
    oddListeners.push(
      ...(await startCounting(port).then(
        (one) => [one],
        () => [],
      )),
    )
  store = await openRemoteDatabase()
  service = await startService({ ...store.environment, EARSHOT_WEBHOOK_ALLOW_NETWORKS: '', EARSHOT_ALLOW_INSECURE_WEBHOOKS: 'on' })
  team = await makeTeam(store.database)
  for (const [url] of forms) answers.set(url, await register(url))
  await attemptAll()
}, 90_000)
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await store?.[Symbol.asyncDispose]()
  for (const { server } of [listener, ...oddListeners]) server.close()
})

test(`the table has at least 100 unique forms (${forms.length})`, () => {
  expect(new Set(forms.map(([url]) => url)).size).toBe(forms.length)
  expect(forms.length).toBeGreaterThanOrEqual(100)
})

describe.each(forms.map(([url, code]) => [JSON.stringify(url), url, code] as const))('%s', (_shown, url, code) => {
  test(`is refused at registration: ${code}`, () => {
    const detail = expect.stringMatching(/\S/)
    expect(answers.get(url)).toMatchObject({ status: 400, body: { code: 'validation_error', errors: [{ field: 'url', code, detail }] } })
  })

  test('fails for good at the first attempt if it reaches the row another way', () => {
    expect(attempted.get(url)).toEqual({ url, state: 'failed', attempt_count: 1, error_code: 'blocked_address', remote_ip: null })
  })
})

test('no connection reached any address of this machine, all of which listen', async () => {
  expect([listener, ...oddListeners].map(({ connections }) => connections)).toEqual([0, ...oddListeners.map(() => 0)])
  // A listener that hears nothing proves nothing.
  for (const { address, scopeid } of machineAddresses.map((entry) => ({ scopeid: 0, ...entry }))) {
    const before = listener.connections
    const [name] = Object.entries(networkInterfaces()).find(([, entries]) => entries?.some((entry) => entry.address === address)) ?? []
    const socket = connect({ port: listener.port, host: scopeid === 0 ? address : `${address}%${name}` })
    await until(`a connection to ${address} is heard`, () => listener.connections === before + 1)
    socket.destroy()
  }
})

test('the refusal of an address does not reveal what it resolves to', () => {
  for (const { body } of answers.values()) expect(JSON.stringify(body.errors)).not.toMatch(/127\.0\.0\.1|::1|10\.0\.0\.1/)
})

function register(url: string): Promise<Reply> {
  return service.send('POST', `/api/v1/teams/${team.id}/webhooks/`, { token: team.token, body: { url, events: ['*'] } })
}

/** Writes each form into an endpoint’s row, half of them as from a local trial, and sends one event to all. */
async function attemptAll(): Promise<void> {
  const { client } = store.database
  await insertEndpoints(client, store.environment, {
    teamId: team.id,
    rows: forms.map(([url], index) => ({ url, isLocalTrial: index % 2 === 1 })),
  })
  await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
  const courses = () => client<Attempted[]>`
    select e.url, d.state, d.attempt_count, a.error_code, a.remote_ip
      from all_webhook_deliveries d
      join webhook_endpoints e on e.id = d.endpoint_id
      left join webhook_attempts a on a.team_id = d.team_id and a.id = d.attempt_id
     where a.finished_at is not null`
  await until('each was attempted', async () => (await courses()).length === forms.length, 30_000)
  for (const course of await courses()) attempted.set(course.url, { ...course })
}

interface Counting {
  server: Server
  port: number
  connections: number
}

/** Listens on all addresses of this machine, of both families. */
async function startCounting(port: number): Promise<Counting> {
  const counting = { connections: 0 }
  const server = createServer((socket) => {
    counting.connections += 1
    socket.on('error', () => {}).destroy()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve))
  const address = server.address()
  return Object.assign(counting, { server, port: address !== null && typeof address === 'object' ? address.port : 0 })
}
