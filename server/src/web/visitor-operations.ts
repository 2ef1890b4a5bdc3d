import { ApiError, type contracts } from '@earshot/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { replyHeadersOf } from '../auth/reply-headers.ts'
import { requestFactsOf } from '../auth/request-facts.ts'
import { failureOf, type Pipeline } from '../http/pipeline.ts'

type Public = (typeof contracts)['public']

/** What the pages of visitors call, with what it returns. */
interface Outputs {
  'public.projects.retrieve': z.output<Public['projects']['retrieve']['output']>
  'public.submissions.create': z.output<Public['submissions']['create']['output']>
  'public.consent.revoke': z.output<Public['consent']['revoke']['output']>
  'public.surveys.retrieve': z.output<Public['surveys']['retrieve']['output']>
  'public.responses.create': z.output<Public['responses']['create']['output']>
  'public.widgets.retrieve': z.output<Public['widgets']['retrieve']['output']>
}

export type PublicProject = Outputs['public.projects.retrieve']
export type PublicSurvey = Outputs['public.surveys.retrieve']
export type Receipt = Outputs['public.submissions.create']

/** A request of a page, with the page's own path fields, and the fields of the operation. */
interface Call {
  request: FastifyRequest
  reply: FastifyReply
  input: Record<string, unknown>
  /** The path fields of the operation, where the page's address has them elsewhere. */
  path?: Record<string, string>
}

interface Called<Output> {
  output: Output
  /** Null where the path names none. */
  project: { team_id: string; project_id: string } | null
}

/** Calls an operation as its own route does: the same limits, errors, quotas and headers. */
export type CallOperation = <Name extends keyof Outputs>(name: Name, call: Call) => Promise<Called<Outputs[Name]>>

/**
 * Returns what calls the public operations for a page. The path fields of the page's route have the names of the operation's. The
 * page may have read its body before, so bodies are bounded by the page.
 */
export function callPublicOperations(pipelines: readonly Pipeline[], baseUrl: string): CallOperation {
  const byName = new Map(pipelines.map((pipeline) => [pipeline.named.name, pipeline]))
  const ownOrigin = new URL(baseUrl).origin
  return async <Name extends keyof Outputs>(name: Name, { request, reply, input, path }: Call): Promise<Called<Outputs[Name]>> => {
    const pipeline = byName.get(name)
    if (!pipeline) throw new ApiError('not_found')
    const facts = requestFactsOf(request, ownOrigin)
    const authorized = await pipeline.authorize(path ? { ...facts, path } : facts, replyHeadersOf(reply))
    try {
      const result = await pipeline.perform(authorized, input, null)
      if ('refusal' in result) throw result.refusal
      const { caller } = authorized
      // The pipeline made it by this operation's handler.
      return { output: result.output as Outputs[Name], project: 'project' in caller ? (caller.project ?? null) : null }
    } catch (error) {
      throw await failureOf(authorized, error)
    }
  }
}
