import { ApiError } from '@earshot/contracts'
import type { CheckedReceiver } from '../auth/callers.ts'
import type { GivenServices } from '../services.ts'

/**
 * Checks the receiver of an input's `url`, which may wait for DNS; null without a `url`. Throws `validation_error` for an
 * address inside the network.
 */
export async function checkReceiver(
  { checkReceiver: check }: Pick<GivenServices, 'checkReceiver'>,
  { url }: Record<string, unknown>,
  request: { isForwarded: boolean },
): Promise<CheckedReceiver | null> {
  if (typeof url !== 'string') return null
  const checked = await check(url, request)
  if (checked.ok) return { url: checked.url, local_trial: checked.isLocalTrial ?? false }
  throw new ApiError('validation_error', { errors: [{ field: 'url', code: checked.code, detail: checked.detail }] })
}
