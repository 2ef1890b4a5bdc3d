import { durations } from '@earshot/contracts'

/** Lifetimes in seconds. */
export const lifetimes = {
  code: 60,
  access: durations.oauthAccessHours * 3_600,
  refresh: durations.oauthRefreshDays * 86_400,
  device: 900,
} as const

/** The initial polling interval of devices. */
export const DEVICE_INTERVAL_SECONDS = 5
