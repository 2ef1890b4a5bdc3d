import type { PastResponse } from '@earshot/db'
import { firstNames, lastNames } from './comments.ts'

const PLANS = ['starter', 'team', 'team', 'business']
/** Of those who answer while they are signed in. */
const KNOWN_SHARE = 0.6

/** Returns a person by the dice, or nobody: some answer without a name. */
export function respondentOf(dice: () => number): NonNullable<PastResponse['respondent']> {
  if (dice() > KNOWN_SHARE) return {}
  const pick = (list: readonly string[]) => list[Math.floor(dice() * list.length)] ?? ''
  const [first, last, number] = [pick(firstNames), pick(lastNames), 1_000 + Math.floor(dice() * 9_000)]
  return {
    external_id: `user_${number}`,
    email: `${first}.${last}.${number}@example.com`.toLowerCase(),
    name: `${first} ${last}`,
    properties: { plan: pick(PLANS), seats: 3 + Math.floor(dice() * 40) },
  }
}
