export type { Log } from './log.ts'
export { startWorker, type Worker } from './worker.ts'
