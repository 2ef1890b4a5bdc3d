export { type OnlineMigrations, type OnlineStep, openOnlineMigrations } from './online-migrations.ts'
export { prepareDatabase } from './prepare.ts'
export { openQueuePool } from './queue.ts'
export { DatabaseSetupError } from './setup-error.ts'
