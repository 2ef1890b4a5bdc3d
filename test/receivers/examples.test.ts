import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONFORMING, tryReceiver } from './conformance.ts'
import { type SendingService, startSendingService } from './sending-service.ts'

let service: SendingService
beforeAll(async () => {
  service = await startSendingService()
})
afterAll(() => service?.[Symbol.asyncDispose]())

test.for([
  ['Node http', new URL('../../examples/receivers/node-http.ts', import.meta.url)],
  ['Fastify', new URL('../../examples/receivers/fastify.ts', import.meta.url)],
  ['a Next.js route handler', new URL('./serve-route.ts', import.meta.url)],
] as const)('%s: takes each delivery of the service once, and nothing else', async ([, file]) => {
  await using source = await service.openSource()
  const command = {
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', fileURLToPath(file)],
  }
  expect(await tryReceiver(source, command)).toEqual(CONFORMING)
})
