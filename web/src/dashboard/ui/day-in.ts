/** Returns the day of a time, such as `2026-11-03`, in a time zone. No locale is sure to write it so: browsers differ in Canada's. */
export function dayIn(timeZone: string, ms: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, calendar: 'gregory', year: 'numeric', month: '2-digit', day: '2-digit' })
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  return [parts.get('year'), parts.get('month'), parts.get('day')].join('-')
}
