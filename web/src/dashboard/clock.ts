/** What the clocks may differ by before it shows: a response is under way, and its time has whole seconds. */
const TOLERATED_MS = 60_000

let aheadMs = 0

/** Takes the service's time from a response. Ages and days are told by it, because a computer's clock may be days off. */
export function noteServiceTime({ headers }: Response): void {
  noteServiceNow(Date.parse(headers.get('date') ?? ''))
}

/** Takes the service's time, in milliseconds since 1970. */
export function noteServiceNow(serviceMs: number): void {
  const differenceMs = serviceMs - Date.now()
  if (!Number.isNaN(differenceMs)) aheadMs = Math.abs(differenceMs) > TOLERATED_MS ? differenceMs : 0
}

/** Returns the time of the service, in milliseconds since 1970. */
export function serviceNow(): number {
  return Date.now() + aheadMs
}
