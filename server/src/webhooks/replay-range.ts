import { ApiError, durations } from '@earshot/contracts'

/** Events are kept for this long. */
const MAX_AGE_MS = durations.eventDays * 86_400_000

/** Refuses an empty range, and one before the oldest events. Throws `validation_error`. */
export function requireRange<Input extends { from: string; to: string }>(input: Input): Input {
  const fromMs = Date.parse(input.from)
  if (fromMs < Date.now() - MAX_AGE_MS) throw wrong('from', 'too_early', `must be within the last ${durations.eventDays} days`)
  if (fromMs >= Date.parse(input.to)) throw wrong('to', 'not_after_from', 'must be after from')
  return input
}

function wrong(field: string, code: string, detail: string): ApiError {
  return new ApiError('validation_error', { errors: [{ field, code, detail }] })
}
