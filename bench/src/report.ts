/** One row of the table of goals. */
export interface Finding {
  what: string
  figure: string
  goal: string
  /** Null for a figure without a goal. */
  met: boolean | null
}

/** The report of a part: findings with goals, and tables with details. */
export interface PartReport {
  title: string
  findings: Finding[]
  /** Markdown. */
  details: string[]
}

/** Returns a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function render({ title, findings, details }: PartReport): string {
  const verdict = { true: 'met', false: '**missed**', null: '' }
  const rows = findings.map(({ what, figure, goal, met }) => [what, figure, goal, verdict[`${met}`]])
  return [`## ${title}`, table(['measure', 'figure', 'goal', ''], rows), ...details].join('\n\n')
}
