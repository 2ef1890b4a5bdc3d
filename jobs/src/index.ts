export type { Log } from './log.ts'
export { startWorker, type Worker, type WorkerOptions } from './worker.ts'
