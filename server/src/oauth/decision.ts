import { ApiError } from '@earshot/contracts'
import type { SecretBox } from '@earshot/drivers'
import type { PageSession } from '../pages/page-request.ts'

const LIFETIME_MS = 600_000
const PURPOSE = 'oauth-decision'

/** The pages with a decision. */
type Kind = 'consent' | 'device'

/**
 * Seals the question of a page for its form, bound to the session and for ten minutes: a person decides only what the page
 * showed, and only that person.
 */
export function sealQuestion(secretBox: SecretBox, question: object, page: { kind: Kind; session: PageSession }): string {
  const text = JSON.stringify({ question, endsAtMs: Date.now() + LIFETIME_MS })
  return secretBox.seal(PURPOSE, text, contextOf(page)).toString('base64url')
}

/** Opens a sealed question. Throws `validation_error` when it is too old or of another session. */
export function openQuestion<Question>(
  secretBox: SecretBox,
  sealed: string | undefined,
  page: { kind: Kind; session: PageSession },
): Question {
  const { question, endsAtMs } = unseal(secretBox, sealed ?? '', contextOf(page))
  if (endsAtMs <= Date.now()) throw tooOld()
  // Sealed by `sealQuestion` for the same kind of page.
  return question as Question
}

function unseal(secretBox: SecretBox, sealed: string, context: string): { question: unknown; endsAtMs: number } {
  try {
    return JSON.parse(secretBox.open(PURPOSE, Buffer.from(sealed, 'base64url'), context))
  } catch {
    throw tooOld()
  }
}

function contextOf({ kind, session }: { kind: Kind; session: PageSession }): string {
  return `${kind}:${session.user.id}:${session.id}`
}

function tooOld(): ApiError {
  return new ApiError('validation_error', {
    detail: 'This page has expired or belongs to another session. Go back and start again.',
  })
}
