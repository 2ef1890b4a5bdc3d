/** One line of the table of goals. */
export interface Finding {
  what: string
  figure: string
  goal: string
  /** Null for what has no goal of its own and stands beside. */
  met: boolean | null
}

/** What a part found: findings against goals, and tables that explain them. */
export interface PartReport {
  title: string
  findings: Finding[]
  /** Markdown. */
  details: string[]
}

/** A markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function render({ title, findings, details }: PartReport): string {
  const verdict = { true: 'met', false: '**missed**', null: '' }
  const rows = findings.map(({ what, figure, goal, met }) => [what, figure, goal, verdict[`${met}`]])
  return [`## ${title}`, table(['what', 'figure', 'goal', ''], rows), ...details].join('\n\n')
}
