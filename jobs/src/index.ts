export type { Log } from './log.ts'
export { startWorker } from './worker.ts'
