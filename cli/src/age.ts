const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** Returns how far an instant is from now, in either direction, in its largest whole unit: `12s`, `5m`, `3h`, `29d`. */
export function ageOf(instant: string, now = Date.now()): string {
  const seconds = Math.floor(Math.abs(now - Date.parse(instant)) / 1000)
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1]
  return `${Math.floor(seconds / length)}${unit}`
}
