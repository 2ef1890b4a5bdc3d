/** Lifetimes in seconds. */
export const lifetimes = { code: 60, access: 3_600, refresh: 30 * 86_400, device: 900 } as const

/** The initial polling interval of devices. */
export const DEVICE_INTERVAL_SECONDS = 5
