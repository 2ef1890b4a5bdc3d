import { ApiError, type contracts } from '@earshot/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { replyHeadersOf } from '../auth/reply-headers.ts'
import { requestFactsOf } from '../auth/request-facts.ts'
import { toApiError } from '../http/failure.ts'
import type { Pipeline } from '../http/pipeline.ts'

/** A page of the dashboard never waits longer for its data: it asks the API for what it did not get. */
const MAX_WAIT_MS = 1_000
/** All teams and projects of nearly everybody. */
const ALL = 100
/** More than a window shows. */
const FIRST_SUBMISSIONS = 25
const INBOX = 'inbox'
/** What stands in place of a project. */
const TEAM_PAGES = '-'

interface Outputs {
  'me.retrieve': z.output<(typeof contracts)['me']['retrieve']['output']>
  'teams.list': z.output<(typeof contracts)['teams']['list']['output']>
  'projects.list': z.output<(typeof contracts)['projects']['list']['output']>
  'submissions.counts': z.output<(typeof contracts)['submissions']['counts']['output']>
  'submissions.list': z.output<(typeof contracts)['submissions']['list']['output']>
}

/** What a page would ask the API for first, by the names of the operations. What is missing, it asks for itself. */
export interface FirstData {
  me: Outputs['me.retrieve']
  /** Absent when there are more. */
  teams?: Outputs['teams.list']['results']
  /** Of the team of the address, or of the only one. */
  projects?: { team_id: string; results: Outputs['projects.list']['results'] }
  counts?: { project_id: string; counts: Outputs['submissions.counts'] }
  /** The pending submissions, for the inbox. */
  submissions?: { project_id: string; page: Outputs['submissions.list'] }
}

type Call = <Name extends keyof Outputs>(
  name: Name,
  path?: Record<string, string>,
  query?: Record<string, string | number>,
) => Promise<Outputs[Name]>

/** Reads what the page at a path below `/app` shows first. Resolves to null without data, and to `signed_out` without a session. */
export type ReadFirstData = (request: FastifyRequest, reply: FastifyReply, path: string) => Promise<FirstData | 'signed_out' | null>

/**
 * Returns what reads the first data of a page by the operations of the API, with their limits and refusals: the page has them with its
 * document, instead of asking for one after the other.
 */
export function compileFirstData(pipelines: readonly Pipeline[], baseUrl: string): ReadFirstData {
  const byName = new Map(pipelines.map((pipeline) => [pipeline.named.name, pipeline]))
  const ownOrigin = new URL(baseUrl).origin
  return async (request, reply, path) => {
    try {
      // A document is opened with the session alone. Throws when the address has a token.
      const facts = { ...requestFactsOf(request, ownOrigin), authorization: undefined }
      const call: Call = async <Name extends keyof Outputs>(name: Name, ids = {}, query = {}) => {
        const pipeline = byName.get(name)
        if (!pipeline) throw new ApiError('not_found')
        const authorized = await pipeline.authorize({ ...facts, path: ids }, replyHeadersOf(reply)).catch((error: unknown) => {
          throw toApiError(error).status === 401 ? new SignedOut() : error
        })
        const result = await pipeline.perform(authorized, { ...query, ...ids }, null)
        if ('refusal' in result) throw result.refusal
        return result.output as Outputs[Name] // The pipeline made it by this operation's handler.
      }
      const isInbox = ['', INBOX].includes(segmentOf(path, 2)) && !request.url.includes('?')
      return await within(MAX_WAIT_MS, readAll(call, path, isInbox))
    } catch (error) {
      if (error instanceof SignedOut) return 'signed_out'
      if (toApiError(error).status === 500) request.log.error({ err: error }, 'first data of a page failed')
      return null
    }
  }
}

/** The session of the request is not good any more. */
class SignedOut extends Error {}

async function readAll(call: Call, path: string, isInbox: boolean): Promise<FirstData> {
  const [me, teams] = await Promise.all([call('me.retrieve'), call('teams.list', {}, { limit: ALL })])
  if (teams.next_cursor !== null) return { me }
  const known = { me, teams: teams.results }
  const team = placeAt(teams.results, segmentOf(path, 0))
  if (!team) return known
  const { results, next_cursor } = await call('projects.list', { team_id: team.id }, { limit: ALL })
  if (next_cursor !== null) return known
  const projects = { team_id: team.id, results }
  const name = segmentOf(path, 1)
  // Beside the pages of a team, the navigation shows the first project.
  const project = name === TEAM_PAGES ? results[0] : placeAt(results, name)
  if (!project) return { ...known, projects }
  const ids = { team_id: team.id, project_id: project.id }
  const [counts, page] = await Promise.all([
    call('submissions.counts', ids),
    isInbox ? call('submissions.list', ids, { state: 'pending', limit: FIRST_SUBMISSIONS }) : null,
  ])
  return {
    ...{ ...known, projects, counts: { project_id: project.id, counts } },
    ...(page && { submissions: { project_id: project.id, page } }),
  }
}

function segmentOf(path: string, index: number): string {
  return path.split('/')[index + 1] ?? ''
}

/** Without a name, the page leads to the only one, or to the one that the browser remembers. */
function placeAt<Place extends { id: string; slug: string }>(places: readonly Place[], name: string): Place | undefined {
  return name === '' && places.length === 1 ? places[0] : findPlace(places, name)
}

/** Finds by the short name of an address, or by the id. */
export function findPlace<Place extends { id: string; slug: string }>(places: readonly Place[], name: string): Place | undefined {
  return places.find(({ slug }) => slug === name) ?? places.find(({ id }) => id === name)
}

/** Resolves to null when it takes longer. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
