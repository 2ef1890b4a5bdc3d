export { prepareDatabase } from './prepare.ts'
export { queueConnection } from './queue.ts'
export { DatabaseSetupError } from './setup-error.ts'
