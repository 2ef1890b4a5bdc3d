import { ApiError, type NamedOperation, type Operation } from '@earshot/contracts'
import { ForeignRowError, type Patience, type Tx } from '@earshot/db'
import { z } from 'zod'
import { type AuthorizedRequest as Authorized, authenticate, authorizeCaller, requireFeature } from '../auth/caller.ts'
import type { KnownAccessRow } from '../auth/credential.ts'
import { isFailedAttempt } from '../auth/rate-limit.ts'
import type { ReplyHeaders } from '../auth/reply-headers.ts'
import type { RequestFacts } from '../auth/request-facts.ts'
import type { Services } from '../services.ts'
import { type Databases, executorOf, teamIdOf } from './executors.ts'
import { toApiError } from './failure.ts'
import { type KeyedWork, type OperationResult, performOnce } from './idempotency.ts'
import { compileInput, type ReadInput } from './input.ts'
import { compileMask, type Mask } from './mask.ts'
import { checkReceiver } from './receiver.ts'
import { guardTeam } from './team-guard.ts'

/** A handler as the pipeline calls it. `implement` has checked its type against the contract. */
export type AnyHandler = (call: { ctx: never; input: never }) => Promise<unknown>

export interface PipelineOptions extends Databases {
  services: Services
  rateLimitMultiplier: number
  /** Checks every output against its contract before it is sent. For tests. */
  checkOutput: boolean
  /** Called after a commit that may leave deliveries due, with the team if there is one: wakes the dispatcher of this process. */
  onCommit: (teamId: string | null) => void
  /** Called when a request failed because a row of another team reached it. */
  onForeignRow: () => void
}

/** A request that was authorized, and how long it waits. */
export interface AuthorizedRequest extends Authorized {
  patience: Patience
}

/** A compiled operation. REST, streams and tRPC call the same steps. */
export interface Pipeline {
  named: NamedOperation
  /** Authorizes a request, and counts it unless that was done, before its body is read. */
  authorize: (requestFacts: RequestFacts, replyHeaders: ReplyHeaders, options?: { isCounted: boolean }) => Promise<AuthorizedRequest>
  /** Authorizes a stream again while it is open, without counting it. */
  reauthorize: (requestFacts: RequestFacts, replyHeaders: ReplyHeaders) => Promise<AuthorizedRequest>
  /** Reads the input and executes the operation: input → idempotency → feature → project → receiver → handler → mask. */
  perform: (authorized: AuthorizedRequest, rawInput: Record<string, unknown>, idempotencyKey: string | null) => Promise<OperationResult>
}

/** Compiles an operation. Called once for each, at start-up. */
export function compilePipeline(named: NamedOperation, handler: AnyHandler, options: PipelineOptions): Pipeline {
  const { operation } = named
  const { database, services, onCommit } = options
  const readInput: ReadInput = compileInput(operation.input, operation.pathFields)
  const output = outputOf(operation)
  const mask: Mask | null = operation.access === 'credential' && !operation.isUnmasked ? compileMask(output) : null
  const isChange = operation.method !== 'GET'

  const authorizeOptions = { ...services, multiplier: options.rateLimitMultiplier }

  async function authorize(requestFacts: RequestFacts, given: { replyHeaders: ReplyHeaders; isCounted?: boolean }) {
    const { patience } = requestFacts
    const authorized = await authorizeCaller(database.patiently(patience), operation, requestFacts, { ...authorizeOptions, ...given })
    return { ...authorized, patience }
  }

  const onError = (error: unknown) => {
    if (error instanceof ForeignRowError) options.onForeignRow()
    throw error
  }

  async function execute(
    tx: Tx,
    keyedWork: KeyedWork,
    keyed: { caller: string; teamId: string | null; key: string; input: unknown } | null,
  ): Promise<OperationResult> {
    if (keyed) return performOnce({ tx, services }, { ...keyed, operation: named.name }, keyedWork)
    const { admit, prepare, work } = keyedWork
    admit()
    return { output: await work(tx, prepare && (await prepare())), replayed: false }
  }

  return {
    named,
    authorize: (requestFacts, replyHeaders, { isCounted } = { isCounted: false }) => authorize(requestFacts, { replyHeaders, isCounted }),
    reauthorize: async (requestFacts, replyHeaders) => {
      const authorized = await authorize(requestFacts, { replyHeaders, isCounted: true })
      if ('team' in authorized.caller) requireFeature(operation, authorized.caller)
      return authorized
    },
    perform: async ({ caller, projectIsMissing, patience }, rawInput, idempotencyKey) => {
      const input = readInput(rawInput)
      const admit = () => {
        if ('team' in caller) requireFeature(operation, caller)
        if (projectIsMissing) throw new ApiError('not_found')
      }
      const teamId = teamIdOf(operation, caller)
      const guarded = (tx: Tx) => (teamId === null ? tx : guardTeam(tx, teamId))
      const isForwarded = 'isForwarded' in caller && caller.isForwarded
      const prepare = operation.checksReceiver ? () => checkReceiver(services, input, { isForwarded }) : null
      // `implement` has checked that this operation's handler takes this context and input.
      const work = (tx: Tx, receiver: unknown) =>
        handler({ ctx: { ...caller, tx: guarded(tx), services, receiver } as never, input: input as never })
      const keyed = idempotencyKey === null ? null : { caller: await keyHolder(caller), teamId, key: idempotencyKey, input }
      const result = await execute(executorOf(options, operation, { caller, patience }), { admit, prepare, work }, keyed).catch(onError)
      if ('deferredAccess' in caller) await caller.deferredAccess.settle()
      if ('refusal' in result) return result
      if (isChange && !result.replayed && leavesDue(caller)) onCommit(teamIdOf(operation, caller))
      if (options.checkOutput) output.parse(result.output)
      if (mask && !('seesContacts' in caller && caller.seesContacts)) mask(result.output)
      return result
    },
  }
}

/** Returns what authenticates and counts a request whose operation stands in its body, before the body is read. */
export function compileAuthentication({ database, services, rateLimitMultiplier }: PipelineOptions) {
  return (requestFacts: RequestFacts, replyHeaders: ReplyHeaders): Promise<KnownAccessRow> =>
    authenticate(database.patiently(requestFacts.patience), 'authenticated', requestFacts, {
      ...services,
      multiplier: rateLimitMultiplier,
      replyHeaders,
    })
}

/**
 * Returns the error to send for a failed request. A request that was not counted before is counted now; over the limit its
 * error is `rate_limited`, whatever it failed with.
 */
export async function failureOf(authorized: AuthorizedRequest | undefined, error: unknown): Promise<unknown> {
  const count = authorized && counterOf(authorized.caller, toApiError(error))
  if (!count) return error
  return count().then(
    () => error,
    (refusal: unknown) => refusal,
  )
}

/** The schema of the handler's output. The handler of a stream or an export returns pages of it. */
function outputOf({ stream, output }: Operation): z.ZodType {
  if (!stream) return output
  return z.object({ results: z.array(stream === 'events' ? z.object({ data: output }) : output) })
}

/** Returns how to count a failed request, or null where it was counted before or is not to be counted. */
function counterOf(caller: AuthorizedRequest['caller'], failure: ApiError): (() => Promise<void>) | null {
  if ('deferredAccess' in caller) return failure.code === 'dependency_unavailable' ? null : caller.deferredAccess.settle
  return 'countAttempt' in caller && isFailedAttempt(failure) ? caller.countAttempt : null
}

/** Whether deliveries may be due after the request: not if its statement claimed them all. */
function leavesDue(caller: AuthorizedRequest['caller']): boolean {
  return !('deferredAccess' in caller) || caller.deferredAccess.leavesDue()
}

/** The holder of an idempotency key: the credential, or on the public plane the address and the project. */
async function keyHolder(caller: AuthorizedRequest['caller']): Promise<string> {
  if ('credential' in caller) return `credential:${caller.credential.id}`
  if ('countAttempt' in caller) throw new Error('Account operations take no idempotency keys')
  const project = 'project' in caller ? caller.project : await caller.deferredAccess.requireProject()
  return `visitor:${caller.ip}:${project?.project_id ?? ''}`
}
