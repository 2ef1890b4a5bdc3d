import { ApiError } from '@earshot/contracts'
import type { SecretBox } from '@earshot/drivers'
import type { PageSession } from '../pages/page-request.ts'

const LIFETIME_MS = 600_000
const PURPOSE = 'oauth-decision'

/** The pages on which a person decides. */
type Kind = 'consent' | 'device'

/**
 * What a page showed, for its form: sealed for this person in this session, so that nothing else is decided than was seen,
 * by nobody else, and not much later.
 */
export function sealQuestion(secretBox: SecretBox, question: object, page: { kind: Kind; session: PageSession }): string {
  const text = JSON.stringify({ question, endsAtMs: Date.now() + LIFETIME_MS })
  return secretBox.seal(PURPOSE, text, contextOf(page)).toString('base64url')
}

/** The question again. Throws `validation_error` when it is too old, another's, or none. */
export function openQuestion<Question>(
  secretBox: SecretBox,
  sealed: string | undefined,
  page: { kind: Kind; session: PageSession },
): Question {
  const { question, endsAtMs } = unseal(secretBox, sealed ?? '', contextOf(page))
  if (endsAtMs <= Date.now()) throw tooOld()
  // It was sealed here, and for this kind of page.
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
    detail: 'This page is too old, or was opened by somebody else: begin again where you came from.',
  })
}
