import { type Database, type DatabaseAddress, type JobName, type JobPayload, jobs } from '@earshot/db'
import type { MailDriver, SecretBox } from '@earshot/drivers'
import type { Task } from 'graphile-worker'
import type { Log } from './log.ts'

/** What every task works with. */
export interface TaskContext {
  database: Database
  address: DatabaseAddress
  log: Log
  secretBox: SecretBox
  /** Where mails go. */
  mailDriver: MailDriver
  /** What links begin with. */
  baseUrl: string
}

/** This run of a job. */
export interface Run {
  /** When it throws, the queue gives the job up. */
  isLast: boolean
}

/** Binds a task to what it works with. */
export type TaskMaker = (context: TaskContext) => Task

/** A job's task: parses the payload, then calls one function. */
export function task<Name extends JobName>(
  name: Name,
  work: (payload: JobPayload<Name>, context: TaskContext, run: Run) => Promise<void>,
): TaskMaker {
  // The schema at this name parses to the payload of this name; a generic index is beyond the compiler.
  return (context) =>
    async (payload, { job }) =>
      work(jobs[name].parse(payload) as JobPayload<Name>, context, { isLast: job.attempts >= job.max_attempts })
}
