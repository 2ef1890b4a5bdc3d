/** How long things live, in seconds (decisions: OAuth2). */
export const lifetimes = { code: 60, access: 3_600, refresh: 30 * 86_400, device: 900 } as const

/** A device's first interval between two polls, in seconds. */
export const DEVICE_INTERVAL_SECONDS = 5
