export { prepareDatabase } from './prepare.ts'
export { openQueuePool } from './queue.ts'
export { DatabaseSetupError } from './setup-error.ts'
