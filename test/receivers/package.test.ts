import { createContext, runInContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import type { Received } from '../support/receiver.ts'
import type { DeliverySource } from './delivery-source.ts'
import { type SendingService, startSendingService } from './sending-service.ts'

const TSC = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname
const VERIFY = `
  import { verifyWebhook } from '@earshot/contracts/webhooks'
  export const verify = (body, headers, secret) => verifyWebhook(body, headers, secret).then(
    (event) => event.type + ' ' + event.id,
    (error) => error.code,
  )`

let project: InstalledPackage
let service: SendingService
let source: DeliverySource
let delivery: Received
let eventId: string
beforeAll(async () => {
  ;[project, service] = await Promise.all([installPackage('contracts'), startSendingService()])
  source = await service.openSource()
  delivery = await source.record()
  eventId = JSON.parse(String(delivery.body)).id
}, 120_000)
afterAll(async () => {
  project?.[Symbol.dispose]()
  await source?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

test('the packed file brings two dependencies and nothing else', async () => {
  expect(await project.listDependencies()).toEqual(['@earshot/contracts', 'eventsource-parser', 'zod'])
})

test('what is published is JavaScript and declarations', async () => {
  const files = (await project.run('find', 'node_modules/@earshot/contracts', '-type', 'f')).trim().split('\n')
  expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file)).sort()).toEqual(
    ['LICENSE', 'README.md', 'package.json'].map((file) => `node_modules/@earshot/contracts/${file}`),
  )
})

test('installed in an empty project, Node verifies a delivery of the service with it', async () => {
  project.write('verify.js', VERIFY)
  project.write(
    'main.js',
    `import { verify } from './verify.js'
     const { body, headers, secret } = ${JSON.stringify(plain(delivery))}
     console.log(await verify(Buffer.from(body, 'base64'), headers, secret))
     console.log(await verify(Buffer.from(body.replace('e', 'f'), 'base64'), headers, secret))`,
  )
  expect(await project.run(process.execPath, 'main.js')).toBe(`submission.created ${eventId}\nbad_signature\n`)
})

test('its schemas and its client are exported', async () => {
  project.write(
    'rest.js',
    `import { Event, errorTable } from '@earshot/contracts'
     import { createClient } from '@earshot/contracts/client'
     const event = Event.parse(JSON.parse(Buffer.from('${delivery.body.toString('base64')}', 'base64')))
     console.log(event.id, typeof createClient({ baseUrl: 'http://localhost', token: '' }).webhooks.create, errorTable.not_found.status)`,
  )
  expect(await project.run(process.execPath, 'rest.js')).toBe(`${eventId} function 404\n`)
})

test('bundled for a browser it is small, contains no zod, and verifies with WebCrypto alone', async () => {
  project.write('verify.js', VERIFY)
  project.write('browser.js', "import { verify } from './verify.js'; globalThis.verify = verify")
  const { code, modules } = await project.bundle('browser.js')
  expect(modules).toEqual(['node_modules/@earshot/contracts/webhook-signature.js', 'verify.js', 'browser.js'])
  expect(code.length).toBeLessThan(4_000)

  const { body, headers, secret } = plain(delivery)
  // Nothing of Node: only what every browser has.
  const sandbox = createContext({ crypto, TextEncoder, TextDecoder, atob, btoa, body, headers, secret })
  const verify = (text: string) => runInContext(`${code}; verify(${text}, headers, secret)`, sandbox)
  const bytes = 'Uint8Array.from(atob(body), (character) => character.charCodeAt(0))'
  expect(await verify(bytes)).toBe(`submission.created ${eventId}`)
  expect(await verify(`${bytes}.map((byte) => byte ^ 1)`)).toBe('bad_signature')
})

test.each([
  ['Node', { lib: ['es2024'], module: 'nodenext', skipLibCheck: true }],
  ['a bundler', { lib: ['es2024', 'dom'], module: 'preserve' }],
])('its declarations type a receiver for %s, event by event', async (_what, platform) => {
  project.write('consumer.ts', CONSUMER)
  const compilerOptions = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2024', types: [], ...platform }
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  expect(await project.run(TSC, '--project', 'tsconfig.json')).toBe('')
})

test('its tRPC router is a type alone, for a program with @trpc/client', async () => {
  await project.run('ln', '-s', new URL('../../node_modules/@trpc', import.meta.url).pathname, 'node_modules/@trpc')
  project.write('trpc.ts', TRPC)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'esnext.disposable'],
    module: 'nodenext',
    types: [],
  }
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['trpc.ts'] }))
  expect(await project.run(TSC, '--project', 'tsconfig.json')).toBe('')
  expect(await project.run('cat', 'node_modules/@earshot/contracts/trpc.js')).toBe('export {};\n')
})

const TRPC = `
import type { AppRouter } from '@earshot/contracts/trpc'
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client'

const earshot = createTRPCClient<AppRouter>({ links: [httpLink({ url: 'https://feedback.example/trpc' })] })
const place = { team_id: 'a', project_id: 'b' }

export async function use(error: TRPCClientError<AppRouter>): Promise<string | undefined> {
  const { results } = await earshot.submissions.list.query({ ...place, state: 'pending' })
  const words: string | null | undefined = results[0]?.body
  await earshot.submissions.approve.mutate({ ...place, submission_id: words ?? '' })
  // @ts-expect-error: there is no such operation
  await earshot.submissions.publish.mutate(place)
  // @ts-expect-error: visitors have no tRPC
  await earshot.public.items.list.query({ public_key: '' })
  return error.data?.code === 'state_conflict' ? error.data.request_id : undefined
}
`

const CONSUMER = `
import { verifyWebhook, type WebhookEvent, type WebhookVerificationError } from '@earshot/contracts/webhooks'

export async function receive(body: Uint8Array, headers: Record<string, string | string[] | undefined>): Promise<string> {
  const event = await verifyWebhook(body, headers, 'whsec_')
  const type: string = event.type
  switch (event.type) {
    case 'submission.created':
    case 'submission.approved':
      const words: string | null = event.data.submission.body
      // @ts-expect-error: a submission's event has no member
      event.data.member
      return words ?? ''
    case 'team.member.added':
      return event.data.member.role
    // @ts-expect-error: there is no such event
    case 'submission.creatd':
      return ''
    default:
      return type
  }
}

export function leave(event: WebhookEvent): unknown {
  switch (event.type) {
    case 'submission.created':
    case 'submission.approved':
    case 'submission.rejected':
      return event.data.submission
  }
  // @ts-expect-error: other events may hold anything
  return event.data.submission.body
}

export const codeOf = (error: WebhookVerificationError): 'bad_signature' | string => error.code
`

function plain({ headers, body }: Received) {
  return { body: body.toString('base64'), headers, secret: source.secret }
}
