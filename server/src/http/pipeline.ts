import { ApiError, type NamedOperation, type Operation } from '@earshot/contracts'
import type { Executor, Tx } from '@earshot/db'
import { z } from 'zod'
import { type AuthorizedRequest, authorizeCaller, requireFeature } from '../auth/caller.ts'
import { isFailedTry } from '../auth/rate-limit.ts'
import type { Services } from '../services.ts'
import { type Databases, executorOf } from './executors.ts'
import { toApiError } from './failure.ts'
import { type Answer, type KeyedWork, performOnce } from './idempotency.ts'
import { compileInput, type ReadInput } from './input.ts'
import { compileMask, type Mask } from './mask.ts'
import type { ReplyHeaders } from './reply-headers.ts'
import type { RequestFacts } from './request-facts.ts'

/** A handler as the pipeline calls it; `implement` has checked it against its contract. */
export type AnyHandler = (call: { ctx: never; input: never }) => Promise<unknown>

export interface PipelineOptions extends Databases {
  services: Services
  rateLimitMultiplier: number
  /** Checks every answer against its contract before it goes out. On in tests. */
  checkOutput: boolean
  /** Called after a change was committed: wakes the dispatcher of this process. */
  onCommit: () => void
}

/** One operation, compiled: the same two steps for REST and tRPC. */
export interface Pipeline {
  named: NamedOperation
  /** Who calls, before anything of the body is read. */
  authorize: (requestFacts: RequestFacts, replyHeaders: ReplyHeaders) => Promise<AuthorizedRequest>
  /** Whether a request that was counted, and goes on, still may. */
  reauthorize: (requestFacts: RequestFacts, replyHeaders: ReplyHeaders) => Promise<AuthorizedRequest>
  /** Input → idempotency → feature → project → handler → mask. */
  perform: (authorized: AuthorizedRequest, rawInput: Record<string, unknown>, idempotencyKey: string | null) => Promise<Answer>
  /** What a request that failed is to be told: a visitor or guest over the limit that, whatever else was wrong. */
  failureOf: (authorized: AuthorizedRequest | undefined, error: unknown) => Promise<unknown>
}

/** Compiles what an operation needs, once, at start. */
export function compilePipeline(named: NamedOperation, handler: AnyHandler, options: PipelineOptions): Pipeline {
  const { operation } = named
  const { database, services, onCommit } = options
  const readInput: ReadInput = compileInput(operation.input, operation.pathFields)
  const output = outputOf(operation)
  const mask: Mask | null = operation.access === 'credential' ? compileMask(output) : null
  const isChange = operation.method !== 'GET'

  const authorizeOptions = { ...services, multiplier: options.rateLimitMultiplier }

  async function answerOf(
    executor: Executor,
    { admit, work }: KeyedWork,
    keyed: { caller: string; key: string; input: unknown } | null,
  ): Promise<Answer> {
    if (keyed) return performOnce({ executor, secretBox: services.secretBox }, { ...keyed, operation: named.name }, { admit, work })
    admit()
    return { output: await work(executor), replayed: false }
  }

  return {
    named,
    authorize: (requestFacts, replyHeaders) => authorizeCaller(database, operation, requestFacts, { ...authorizeOptions, replyHeaders }),
    reauthorize: async (requestFacts, replyHeaders) => {
      const authorized = await authorizeCaller(database, operation, requestFacts, { ...authorizeOptions, replyHeaders, isCounted: true })
      if ('team' in authorized.caller) requireFeature(operation, authorized.caller)
      return authorized
    },
    perform: async ({ caller, projectIsMissing }, rawInput, idempotencyKey) => {
      const input = readInput(rawInput)
      const admit = () => {
        if ('team' in caller) requireFeature(operation, caller)
        if (projectIsMissing) throw new ApiError('not_found')
      }
      // Both were checked against this operation's contract; the handler's own types are narrower.
      const work = (tx: Tx) => handler({ ctx: { ...caller, tx, services } as never, input: input as never })
      const keyed = idempotencyKey === null ? null : { caller: await keyHolder(caller), key: idempotencyKey, input }
      const answer = await answerOf(executorOf(options, operation, caller), { admit, work }, keyed)
      if ('deferredAccess' in caller) await caller.deferredAccess.settle()
      if ('refusal' in answer) return answer
      if (isChange && !answer.replayed) onCommit()
      if (options.checkOutput) output.parse(answer.output)
      if (mask && !('seesContacts' in caller && caller.seesContacts)) mask(answer.output)
      return answer
    },
    failureOf: async (authorized, error) => {
      const count = authorized && counterOf(authorized.caller, toApiError(error))
      if (!count) return error
      return count().then(
        () => error,
        (refusal: unknown) => refusal,
      )
    },
  }
}

/** What the handler gives: of a stream a page of what it sends. */
function outputOf(operation: Operation): z.ZodType {
  return operation.stream ? z.object({ results: z.array(z.object({ data: operation.output })) }) : operation.output
}

/** Counts a request that failed, unless it was counted before. */
function counterOf(caller: AuthorizedRequest['caller'], failure: ApiError): (() => Promise<void>) | null {
  if ('deferredAccess' in caller) return failure.code === 'dependency_unavailable' ? null : caller.deferredAccess.settle
  return 'countTry' in caller && isFailedTry(failure) ? caller.countTry : null
}

/** The holder of an idempotency key: the credential, or on the public plane the address and the project. */
async function keyHolder(caller: AuthorizedRequest['caller']): Promise<string> {
  if ('credential' in caller) return `credential:${caller.credential.id}`
  if ('countTry' in caller) throw new Error('Account operations take no idempotency keys')
  const project = 'project' in caller ? caller.project : await caller.deferredAccess.requireProject()
  return `visitor:${caller.ip}:${project?.project_id ?? ''}`
}
