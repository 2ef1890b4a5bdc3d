export { type Dispatcher, type DispatcherOptions, startDispatcher } from './dispatcher.ts'
export type { Log } from './log.ts'
export { startWorker, type Worker, type WorkerOptions } from './worker.ts'
