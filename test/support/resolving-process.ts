import { lookup } from 'node:dns/promises'
import { endProcess } from '../../app/end-process.ts'
import { startNameServer } from './name-server.ts'

// Runs in a network namespace of the test’s own, where the system’s resolver asks this server.
const asked = Promise.withResolvers<void>()
await startNameServer(
  () => {
    asked.resolve()
    return null
  },
  { port: 53 },
)
lookup('silent.example.com').catch(() => {})
await asked.promise
console.log(Date.now())
endProcess()
