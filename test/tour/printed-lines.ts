import { expect } from 'vitest'

/** Stands for any text, and for any lines where it is the whole line. */
const ANYTHING = '…'

/** Text that differs from run to run: ids, times, durations and ages. */
const VARYING: [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, '<time>'],
  [/(?<= 200 )\d+ \d+s(?= thank you)/g, '<ms> <age>'],
]

/** A line of an example that runs in the background. */
export const BACKGROUND_LINE = /(?:receiver|web app): .*\n/g

/** Returns whether an example in the background printed the line, which may come before or after those of the commands. */
export function isOfBackground(line: string): boolean {
  return /^(receiver|web app): /.test(line)
}

/** Compares printed lines with those of the page, ignoring spaces between columns and empty lines, which a page leaves out. */
export function expectPrinted(printed: readonly string[], shown: readonly string[]): void {
  const actual = printed.map(steady).filter((line) => line !== '')
  expect(actual).toEqual(filledIn(shown.map(steady), actual))
}

/** Replaces text that differs from run to run. */
export function steady(line: string): string {
  return VARYING.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), line.trimEnd().replaceAll(/ {2,}/g, ' '))
}

/** Replaces each `…` of the page with what was printed. */
function filledIn(shown: readonly string[], actual: readonly string[]): string[] {
  const filled: string[] = []
  for (const [index, line] of shown.entries()) {
    const next = shown[index + 1]
    if (line === ANYTHING)
      while (filled.length < actual.length && !fits(actual[filled.length], next)) filled.push(actual[filled.length] ?? '')
    else filled.push(fits(actual[filled.length], line) ? (actual[filled.length] ?? '') : line)
  }
  return filled
}

function fits(actual: string | undefined, line: string | undefined): boolean {
  if (actual === undefined || line === undefined) return false
  return new RegExp(`^${line.split(ANYTHING).map(escaped).join('.*')}$`).test(actual)
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
