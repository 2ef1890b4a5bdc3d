import { openDatabase } from '@earshot/db'
import { createDatabaseMail, createSecretBox, openFileStore } from '@earshot/drivers'
import { importRows } from '../../jobs/src/imports/import.ts'

/** Runs the job of an import in a process of its own, which a test can kill at any moment. Its options come as JSON. */
const { address, secretKey, blobs, ref } = JSON.parse(process.argv[2] ?? '')
const log = { debug() {}, info() {}, warn: console.error, error: console.error }
const database = openDatabase({ address, role: 'earshot_worker', poolSize: 2, applicationName: `earshot import ${process.pid}` })
const run = importRows({
  ...{ address, database, log },
  secretBox: createSecretBox(Buffer.from(secretKey, 'base64')),
  mailDriver: createDatabaseMail(),
  blobStore: await openFileStore(blobs),
  baseUrl: 'http://localhost:8000',
})
console.log('ready')
// The task reads no more of its helpers than these.
await run(ref, { job: { attempts: 1, max_attempts: 2 }, abortSignal: new AbortController().signal } as never)
await database.close()
console.log('ended')
