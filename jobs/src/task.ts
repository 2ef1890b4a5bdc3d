import { type Database, type DatabaseAddress, type JobName, type JobPayload, jobs } from '@earshot/db'
import type { BlobStore, MailDriver, SecretBox } from '@earshot/drivers'
import type { Task } from 'graphile-worker'
import type { Log } from './log.ts'

/** The dependencies of every task. */
export interface TaskContext {
  database: Database
  address: DatabaseAddress
  log: Log
  secretBox: SecretBox
  mailDriver: MailDriver
  blobStore: BlobStore
  /** The start of links in mails. */
  baseUrl: string
}

/** One run of a job. */
export interface Run {
  /** Whether the queue gives the job up when this run throws. */
  isLast: boolean
  /** Aborts when the worker stops and does not wait any longer. */
  signal: AbortSignal
}

/** Creates a task with its dependencies. */
export type TaskMaker = (context: TaskContext) => Task

/** Defines the task of a job: it parses the payload and calls one function. */
export function task<Name extends JobName>(
  name: Name,
  work: (payload: JobPayload<Name>, context: TaskContext, run: Run) => Promise<void>,
): TaskMaker {
  // The schema at `name` parses to the payload of `name`, which the compiler cannot derive from a generic index.
  return (context) =>
    async (payload, { job, abortSignal: signal }) =>
      work(jobs[name].parse(payload) as JobPayload<Name>, context, { isLast: job.attempts >= job.max_attempts, signal })
}
