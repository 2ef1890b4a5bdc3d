import { createDatabaseMail, createOwnAddresses } from '@earshot/drivers'
import { startWorker, type Worker, type WorkerOptions } from '@earshot/jobs'
import type { TestService } from './test-service.ts'
import { findSharedConverter, transcoding } from './transcoding.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Starts a worker on the database of a service: its dispatcher, and its queue of jobs. */
export function startWholeWorker(
  service: TestService,
  given: Partial<WorkerOptions['transcoding']> = {},
  log: WorkerOptions['log'] = silent,
): Promise<Worker> {
  return startWorker({
    address: service.address,
    secretBox: service.secretBox,
    concurrency: 2,
    mailDriver: createDatabaseMail(),
    blobStore: service.blobStore,
    baseUrl: 'http://localhost:8000',
    log,
    transcoding: { ...transcoding, ...given },
    images: { findConverter: findSharedConverter },
    webhooks: {
      ...{ allowNetworks: ['127.0.0.1/32'], allowInsecure: true, localTrial: false, backoffBaseMs: 50 },
      ownAddresses: createOwnAddresses([]),
      version: '1.2.3',
    },
  })
}
