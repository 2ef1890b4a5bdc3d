import { createDatabaseMail, createOwnAddresses, createSecretBox, createSmtpMail, readMailbox } from '@earshot/drivers'
import { startWorker } from '@earshot/jobs'

/** Runs a worker in a process of its own, which a test can kill. Its options come as JSON. */
const { address, secretKey, smtp } = JSON.parse(process.argv[2] ?? '')
const log = { debug() {}, info() {}, warn: console.error, error: console.error }
await startWorker({
  address,
  secretBox: createSecretBox(Buffer.from(secretKey, 'base64')),
  log,
  concurrency: 1,
  mailDriver: smtp ? createSmtpMail({ server: smtp, from: readMailbox('noreply@feedback.example') }) : createDatabaseMail(),
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
console.log('ready')
