import { type Finding, type PartReport, table } from '../report.ts'
import type { Figure } from './figure.ts'
import { isExtrapolated, WANTED_ATTEMPTS } from './sizes.ts'

/** What grows by less than this share is taken for constant. */
const NOISE = 0.1

/** The figures beside a number of stored attempts. */
export interface Stage {
  attempts: number
  figures: Figure[]
}

const digits = new Intl.NumberFormat('en')

/** Returns one table of all figures, with a column for each stage, and one for more attempts than were stored. */
export function reportOf(stages: readonly [Stage, Stage], { title, notes }: { title: string; notes: string[] }): PartReport {
  const [few, many] = stages
  const hasMore = isExtrapolated(many.attempts)
  const measured = stages.map(({ attempts }) => digits.format(attempts))
  const head = ['measure', ...measured, ...(hasMore ? [digits.format(WANTED_ATTEMPTS)] : [])]
  const rows = many.figures.map((figure, index) => {
    const before = few.figures[index] ?? figure
    const more = hasMore ? [show(extrapolated(before, figure, stages))] : []
    return [figure.what, show(before), show(figure), ...more]
  })
  return { title, findings: many.figures.flatMap(findingOf), details: [...notes, table(head, rows)] }
}

/** Continues the line through both stages. What PostgreSQL finds by an index grows less, so this is the most to expect. */
function extrapolated(before: Figure, figure: Figure, [few, many]: readonly [Stage, Stage]): Figure {
  const cost = ({ value, isRate }: Figure) => (isRate ? 1 / value : value)
  if (cost(figure) <= cost(before) * (1 + NOISE)) return figure
  const slope = (cost(figure) - cost(before)) / (many.attempts - few.attempts)
  const later = cost(figure) + slope * (WANTED_ATTEMPTS - many.attempts)
  return { ...figure, value: figure.isRate ? 1 / later : later }
}

function findingOf({ what, value, unit, max }: Figure): Finding[] {
  return max === undefined ? [] : [{ what, figure: show({ what, value, unit }), goal: `≤ ${max} ${unit}`, met: value <= max }]
}

function show({ value, unit }: Figure): string {
  if (unit === '/s') return `${digits.format(Math.round(value))}/s`
  if (unit === 'requests') return digits.format(Math.round(value))
  return `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`
}
