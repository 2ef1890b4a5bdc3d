import { ApiError, type Operation } from '@earshot/contracts'
import { type Limit, type PublicAccessQuery, type PublicAccessRow, readPublicAccess, type Tx } from '@earshot/db'
import { addressSubject } from '../http/client-address.ts'
import type { ReplyHeaders } from '../http/reply-headers.ts'
import type { RequestFacts } from '../http/request-facts.ts'
import { requireWithinLimit, scaled } from './rate-limit.ts'

const PUBLIC_KEY = /^pk_[0-9A-Za-z]{24}$/

/** Where a visitor is, and what is public there. */
export type VisitedProject = PublicAccessRow & { team_id: string; project_id: string }

/**
 * The one judgement of a visitor: the address' block and rate limit (429) → loop of deliveries (403) → project of the public key (404).
 * It is made once, and as late as the work allows, because it can be a part of the work's own statement; from outside it
 * comes first all the same: what fails before it is settled first.
 */
export interface PublicAccess {
  /** The project of the public key. Throws `abuse_blocked`, `rate_limited`, `webhook_loop`, `not_found`. */
  project(): Promise<VisitedProject>
  /** As `project`, by a statement that does the work too, if the visitor is admitted. It must be committed when it returns. */
  within<Answer extends PublicAccessRow>(ask: (question: PublicAccessQuery) => Promise<Answer>): Promise<Answer>
  /** Whose project it is, once that is known. */
  teamId(): string | null
  /** Counts a request whose work did not. Throws `abuse_blocked`, `rate_limited`, `webhook_loop`. */
  settle(): Promise<void>
}

export function openPublicAccess(
  tx: Tx,
  { limit: name, method, pathFields }: Operation,
  { path, ip, isDelivery }: RequestFacts,
  { multiplier, replyHeaders }: { multiplier: number; replyHeaders: ReplyHeaders },
): PublicAccess {
  const limit: Limit = scaled(name, multiplier)
  const address = addressSubject(ip)
  const question: PublicAccessQuery = { publicKey: publicKeyOrNull(path.public_key), subject: `${name}:${address}`, address, limit }
  // A receiver that posts what it received would make an event of each event.
  const isLoop = isDelivery && method !== 'GET'
  let counted: PublicAccessRow | undefined

  const count = (answer: PublicAccessRow) => {
    counted = answer
    const { blocked_seconds } = answer
    if (blocked_seconds !== null) {
      replyHeaders.rateLimit({ name, limit, remaining: 0, resetSeconds: blocked_seconds })
      throw new ApiError('abuse_blocked', { retryAfterSeconds: blocked_seconds })
    }
    requireWithinLimit(name, limit, answer, replyHeaders)
    if (isLoop) throw new ApiError('webhook_loop')
    return answer
  }
  const requireProject = <Answer extends PublicAccessRow>(answer: Answer): Answer & VisitedProject => {
    if (pathFields.has('public_key') && answer.project_id === null) throw new ApiError('not_found')
    // Without a public key in the path nobody asks which project it is.
    return answer as Answer & VisitedProject
  }
  const publicAccess: PublicAccess = {
    async project() {
      return requireProject(counted ?? count(await readPublicAccess(tx, question)))
    },
    async within(ask) {
      if (isLoop) await publicAccess.settle()
      const answer = await ask(counted ? { ...question, subject: null } : question)
      if (!counted) count(answer)
      return requireProject(answer)
    },
    teamId: () => counted?.team_id ?? null,
    async settle() {
      if (!counted) count(await readPublicAccess(tx, question))
    },
  }
  return publicAccess
}

/** What is not shaped like one of our keys identifies nothing. */
function publicKeyOrNull(text: string | undefined): string | null {
  return text !== undefined && PUBLIC_KEY.test(text) ? text : null
}
