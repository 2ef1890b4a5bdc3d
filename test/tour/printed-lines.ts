import { expect } from 'vitest'

/** Stands for any text; where it is the whole line, for any lines. */
const ANYTHING = '…'

/** What differs from run to run: ids, times, how long a receiver took, and how long ago. */
const VARYING: [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, '<time>'],
  [/(?<= 200 )\d+ \d+s(?= thank you)/g, '<ms> <age>'],
]

/** A whole line of an example that prints in the background. */
export const BACKGROUND_LINE = /(?:receiver|web app): .*\n/g

/** What is printed in the background may come before or after what the commands print. */
export function isOfBackground(line: string): boolean {
  return /^(receiver|web app): /.test(line)
}

/** Holds printed lines against those of the README. Blanks between columns do not count. */
export function expectPrinted(printed: readonly string[], readme: readonly string[]): void {
  const actual = printed.map(steady)
  expect(actual).toEqual(filledIn(readme.map(steady), actual))
}

/** A line without what differs from run to run. */
export function steady(line: string): string {
  return VARYING.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), line.trimEnd().replaceAll(/ {2,}/g, ' '))
}

/** The README's lines, with what was printed in the place of each `…`. */
function filledIn(readme: readonly string[], actual: readonly string[]): string[] {
  const filled: string[] = []
  for (const [index, line] of readme.entries()) {
    const next = readme[index + 1]
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
