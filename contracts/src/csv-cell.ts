/**
 * A text that a spreadsheet could take for a formula, also one that was guarded before, so that taking one apostrophe off such
 * a text always gives the original (OWASP, "CSV Injection").
 */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/

/** Returns the text of a cell of a CSV file. An apostrophe keeps a text from being a formula; objects and lists are JSON. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return FORMULA.test(value) ? `'${value}` : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
