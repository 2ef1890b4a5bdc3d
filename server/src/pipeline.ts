import { ApiError, isPublic, type NamedOperation } from '@earshot/contracts'
import type { Database, Tx } from '@earshot/db'
import { type Approach, type Caller, type Judgement, judgeCaller, requireFeature } from './caller.ts'
import { type Answer, type Performance, performOnce } from './idempotency.ts'
import { compileInput, type ReadInput } from './input.ts'
import type { Standing } from './limit-headers.ts'
import { compileMask, type Mask } from './mask.ts'
import type { Services } from './services.ts'

/** A handler as the pipeline calls it; `implement` has checked it against its contract. */
export type AnyHandler = (call: { ctx: never; input: never }) => Promise<unknown>

export interface PipelineOptions {
  database: Database
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
  judge: (approach: Approach, report: (standing: Standing) => void) => Promise<Judgement>
  /** Input → idempotency → feature → project → handler → mask. */
  perform: (judgement: Judgement, rawInput: Record<string, unknown>, idempotencyKey: string | null) => Promise<Answer>
}

/** Compiles what an operation needs, once, at start. */
export function compilePipeline(named: NamedOperation, handler: AnyHandler, options: PipelineOptions): Pipeline {
  const { operation } = named
  const { database, services, onCommit } = options
  const readInput: ReadInput = compileInput(operation.input, operation.pathFields)
  const mask: Mask | null = isPublic(operation) ? null : compileMask(operation.output)
  const isChange = operation.method !== 'GET'

  async function answerOf({ admit, work }: Performance, keyed: { caller: Caller; key: string; input: unknown } | null): Promise<Answer> {
    if (keyed) return performOnce(options, { ...keyed, caller: keyHolder(keyed.caller), operation: named.name }, { admit, work })
    admit()
    return { output: await work(database), replayed: false }
  }

  return {
    named,
    judge: (approach, report) => judgeCaller(database, operation, approach, { multiplier: options.rateLimitMultiplier, report }),
    perform: async ({ caller, projectIsMissing }, rawInput, idempotencyKey) => {
      const input = readInput(rawInput)
      const admit = () => {
        if (!isPublic(operation)) requireFeature(operation, caller)
        if (projectIsMissing) throw new ApiError('not_found')
      }
      // Both were checked against this operation's contract; the handler's own types are narrower.
      const work = (tx: Tx) => handler({ ctx: { ...caller, tx, services } as never, input: input as never })
      const answer = await answerOf({ admit, work }, idempotencyKey === null ? null : { caller, key: idempotencyKey, input })
      if ('refusal' in answer) return answer
      if (isChange && !answer.replayed) onCommit()
      if (options.checkOutput) operation.output.parse(answer.output)
      if (mask && !caller.seesContacts) mask(answer.output)
      return answer
    },
  }
}

/** Whose key it is: the credential's, or on the public plane the address' and the project's. */
function keyHolder({ credential, ip, project }: Caller): string {
  return credential ? `credential:${credential.id}` : `visitor:${ip}:${project.project_id}`
}
