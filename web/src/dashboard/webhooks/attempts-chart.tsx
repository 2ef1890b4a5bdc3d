import { useId } from 'react'
import type { Stats } from './records.ts'
import { durationInWords } from './words.ts'

const HEIGHT = 160
const BAR = 10
const GAP = 2
/** More hours than these are drawn together. */
const MAX_BARS = 120
const time = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const OUTCOMES = ['succeeded', 'retried', 'final'] as const
const WORDS = { succeeded: 'Succeeded', retried: 'Failed, retried', final: 'Failed for good' } as const

interface Bar {
  start: string
  attempts: number
  succeeded: number
  retried: number
  final: number
  slowestMs: number | null
}

/** Attempts by hour and outcome as stacked bars, and as a table. */
export function AttemptsChart({ stats }: { stats: Stats }) {
  const id = useId()
  const hours = Math.ceil(stats.series.length / MAX_BARS)
  const bars = barsOf(stats, hours)
  const most = Math.max(1, ...bars.map(({ attempts }) => attempts))
  const { attempts, succeeded, failed } = stats.totals
  const unit = hours === 1 ? 'hour' : `${hours} hours`
  return (
    <figure className="chart card" aria-labelledby={id}>
      <figcaption id={id}>
        <strong>Attempts by {unit}</strong>
        <span className="soft">
          {attempts.toLocaleString('en')} in all, {succeeded.toLocaleString('en')} succeeded, {failed.toLocaleString('en')} failed; at most{' '}
          {most.toLocaleString('en')} in {hours === 1 ? 'an' : ''} {unit}.
        </span>
      </figcaption>
      <ul className="legend">
        {OUTCOMES.map((outcome) => (
          <li key={outcome} className={outcome}>
            {WORDS[outcome]}
          </li>
        ))}
      </ul>
      <svg viewBox={`0 0 ${bars.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((bar, at) => (
          <Stack key={bar.start} bar={bar} x={at * BAR} scale={HEIGHT / most} />
        ))}
      </svg>
      <p className="axis soft" aria-hidden="true">
        <span>{time.format(new Date(stats.from))}</span>
        <span>{time.format(new Date(stats.to))}</span>
      </p>
      <details>
        <summary>Show as a table</summary>
        <BarTable bars={bars} />
      </details>
    </figure>
  )
}

function Stack({ bar, x, scale }: { bar: Bar; x: number; scale: number }) {
  const parts = OUTCOMES.map((outcome, at) => ({
    outcome,
    height: bar[outcome] * scale,
    below: OUTCOMES.slice(0, at).reduce((sum, lower) => sum + bar[lower] * scale, 0),
  }))
  return (
    <g>
      <title>{`${time.format(new Date(bar.start))}: ${bar.attempts} attempts, ${bar.attempts - bar.succeeded} failed`}</title>
      {parts
        .filter(({ height }) => height > 0)
        .map(({ outcome, height, below }) => (
          <rect key={outcome} className={outcome} x={x} width={BAR - GAP} y={HEIGHT - below - height} height={height} />
        ))}
    </g>
  )
}

function BarTable({ bars }: { bars: readonly Bar[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className="table-holder" tabIndex={0} aria-label="Attempts by time">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col" className="number">
              Succeeded
            </th>
            <th scope="col" className="number">
              Retried
            </th>
            <th scope="col" className="number">
              Final
            </th>
            <th scope="col" className="number">
              Slowest p95
            </th>
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ attempts }) => attempts > 0)
            .map(({ start, succeeded, retried, final, slowestMs }) => (
              <tr key={start}>
                <th scope="row">{time.format(new Date(start))}</th>
                <td className="number">{succeeded.toLocaleString('en')}</td>
                <td className="number">{retried.toLocaleString('en')}</td>
                <td className="number">{final.toLocaleString('en')}</td>
                <td className="number">{slowestMs === null ? '–' : durationInWords(slowestMs)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}

/** Hours, or several of them together. Percentiles cannot be added, so the slowest hour stands for its bar. */
function barsOf({ series }: Stats, hours: number): Bar[] {
  const groups = Array.from({ length: Math.ceil(series.length / hours) }, (_, at) => series.slice(at * hours, (at + 1) * hours))
  return groups.map((group) => {
    const sum = (field: 'attempts' | (typeof OUTCOMES)[number]) => group.reduce((total, hour) => total + hour[field], 0)
    const slowest = group.flatMap(({ p95_ms }) => p95_ms ?? [])
    return {
      start: group[0]?.start ?? '',
      ...{ attempts: sum('attempts'), succeeded: sum('succeeded'), retried: sum('retried'), final: sum('final') },
      slowestMs: slowest.length === 0 ? null : Math.max(...slowest),
    }
  })
}
