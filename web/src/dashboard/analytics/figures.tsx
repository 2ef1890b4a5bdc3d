import type { api, Output } from '../api.ts'
import { npsText } from '../ui/numbers.ts'

export type Overview = Output<typeof api.analytics.overview>

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const signed = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' })
const HOUR_MS = 3_600_000

interface Shown {
  name: string
  value: number | null
  before: number | null
  text?: (value: number) => string
  /** A difference says little: both values are shown. */
  hasNoChange?: boolean
}

/** The main figures, each beside the one of as many days before. */
export function Figures({ figures: { current, previous } }: { figures: Overview }) {
  const [now, then] = [current.submissions, previous.submissions]
  const shown: Shown[] = [
    { name: 'Submissions', value: now.total, before: then.total },
    { name: 'Public now', value: now.public, before: then.public },
    { name: 'Average rating', value: now.average_rating, before: then.average_rating },
    { name: 'Survey responses', value: current.responses, before: previous.responses },
    { name: 'NPS', value: current.nps.score, before: previous.nps.score, text: npsText },
    {
      name: 'Time to a decision',
      value: now.average_ms_to_moderation,
      before: then.average_ms_to_moderation,
      text: durationText,
      hasNoChange: true,
    },
  ]
  return (
    <dl className="figures">
      {shown.map((figure) => (
        <div key={figure.name}>
          <dt>{figure.name}</dt>
          <dd>
            <b>{figure.value === null ? '–' : textOf(figure, figure.value)}</b>
            <small>
              <Compared figure={figure} />
            </small>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function textOf({ text = number.format }: Shown, value: number): string {
  return text(value)
}

/** The change against as many days before. Only where more is better it is coloured. */
function Compared({ figure: { value, before, text = number.format, hasNoChange } }: { figure: Shown }) {
  if (value === null) return 'No data in this range'
  if (before === null) return 'No data before'
  if (hasNoChange) return `${text(before)} before`
  const change = value - before
  if (change === 0) return 'Same as before'
  return (
    <>
      <span className={change > 0 ? 'better' : 'worse'}>{signed.format(change)}</span> from {text(before)}
    </>
  )
}

/** "3 h" of milliseconds, with the unit that reads best. */
function durationText(ms: number): string {
  if (ms < 60_000) return '< 1 min'
  if (ms < HOUR_MS) return `${Math.round(ms / 60_000)} min`
  if (ms < 48 * HOUR_MS) return `${number.format(ms / HOUR_MS)} h`
  return `${number.format(ms / (24 * HOUR_MS))} days`
}
