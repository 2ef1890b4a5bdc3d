import { type ImportRowError, sizes } from '@earshot/contracts'
import type { z } from 'zod'

/** Returns the field of an issue. Deeper parts of its path may be what the cell says. */
export function fieldOf({ path }: z.core.$ZodIssue): string {
  const [first, second] = path.map(String)
  return first === 'author' || first === 'consent' || first === 'source' ? `${first}.${second}` : (first ?? '')
}

/** Returns the code of an issue. */
export function codeOf(issue: z.core.$ZodIssue): ImportRowError {
  // The lengths of texts and metadata are rules of our own; none of them is too short, because empty cells are no values.
  if (issue.code === 'invalid_key' || /characters long|bytes of JSON/.test(issue.message)) return 'too_big'
  if (issue.code === 'too_big' && issue.origin !== 'number') return 'too_big'
  return issue.code === 'invalid_format' ? 'invalid_format' : 'invalid_value'
}

/** Describes an issue in our own words, behind the name of its field. */
export function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_big' || issue.code === 'too_small') return boundOf(issue)
  if (issue.code === 'invalid_key') return `must have keys of at most ${sizes.nameCharacters} characters`
  if (issue.code === 'invalid_format' && issue.format === 'email') return 'must be an e-mail address'
  // Rules of our own say what must be; the words of others are not ours.
  return issue.message.startsWith('must ') ? issue.message : 'is invalid'
}

function boundOf(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): string {
  const bound = issue.code === 'too_big' ? `at most ${issue.maximum}` : `at least ${issue.minimum}`
  if (issue.origin === 'number') return `must be ${bound}`
  return `must have ${bound} ${issue.origin === 'array' ? 'items' : 'characters'}`
}
