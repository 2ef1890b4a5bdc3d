import { ApiError } from '@earshot/contracts'
import { countTry, type TryCounter, type Tx, uncountTry } from '@earshot/db'
import { addressSubject } from './client-address.ts'
import { scaled } from './rate-limit.ts'

/** Who tries a password of an account. */
interface Trier {
  /** Stands for the account without naming it. */
  account: string
  ip: string
  /** The id of the browser's device cookie, null without one that the account knows. */
  deviceId: string | null
  multiplier: number
}

/**
 * Checks a password, and counts a wrong one: in advance, so that tries at once cannot pass the limit together, and taken back
 * where it was right or could not be checked. Tries of unknown browsers are limited per address and in all; a browser with a
 * device cookie has a limit of its own, so that others cannot lock it out. Throws `rate_limited`.
 */
export async function tryPassword(tx: Tx, trier: Trier, check: () => Promise<boolean>): Promise<boolean> {
  const counters = countersOf(trier)
  const refusal = await countTry(tx, counters)
  if (refusal) throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, refusal.resetSeconds) })
  let isWrong = false
  try {
    isWrong = !(await check())
    return !isWrong
  } finally {
    if (!isWrong) await uncountTry(tx, counters)
  }
}

function countersOf({ account, ip, deviceId, multiplier }: Trier): TryCounter[] {
  if (deviceId !== null) return [{ subject: `sign_in_device:${account}:${deviceId}`, limit: scaled('sign_in_device', multiplier) }]
  return [
    { subject: `sign_in:${account}:${addressSubject(ip)}`, limit: scaled('sign_in', multiplier) },
    { subject: `sign_in_account:${account}`, limit: scaled('sign_in_account', multiplier) },
  ]
}
