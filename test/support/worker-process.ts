import { fileURLToPath } from 'node:url'
import { createDatabaseMail, createOwnAddresses, createSecretBox, createSmtpMail, openFileStore, readMailbox } from '@earshot/drivers'
import { startWorker } from '@earshot/jobs'
import { transcoding } from './transcoding.ts'

/** Runs a worker in a process of its own, which a test can kill. Its options come as JSON. It says when it began to start, in milliseconds since 1970. */
const { address, secretKey, smtp } = JSON.parse(process.argv[2] ?? '')
/** Of all such processes: one that is killed could not remove its own. */
const BLOBS = fileURLToPath(new URL('../../node_modules/.cache/test-blobs', import.meta.url))
const log = { debug() {}, info() {}, warn: console.error, error: console.error }
const startedMs = Date.now()
await startWorker({
  transcoding,
  address,
  secretBox: createSecretBox(Buffer.from(secretKey, 'base64')),
  log,
  concurrency: 1,
  mailDriver: smtp ? createSmtpMail({ server: smtp, from: readMailbox('noreply@feedback.example') }) : createDatabaseMail(),
  blobStore: await openFileStore(BLOBS),
  baseUrl: 'http://localhost:8000',
  webhooks: {
    allowNetworks: [],
    allowInsecure: true,
    localTrial: true,
    ownAddresses: createOwnAddresses([]),
    version: '1.2.3',
    backoffBaseMs: 50,
  },
})
console.log(startedMs)
