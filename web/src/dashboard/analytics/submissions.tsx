import { Section } from '../ui/page.tsx'
import { Chart, type Point } from './chart.tsx'
import { dayText, isMany, ticksTo } from './days.ts'
import type { Overview } from './figures.tsx'

const CHANNELS = { public: 'Visitors', dashboard: 'Dashboard', api: 'API', mcp: 'MCP', import: 'Imports' } as const
const RATINGS = { 5: '5 stars', 4: '4 stars', 3: '3 stars', 2: '2 stars', 1: '1 star', none: 'No rating' } as const
const WEEK = 7

/** How many submissions arrived, day by day; week by week in a long range. */
export function Arrivals({ figures: { days } }: { figures: Overview }) {
  const periods = isMany(days.length) ? inWeeks(days) : days
  const points = periods.map(
    ({ day, submissions }): Point => ({ start: day, label: dayText(day), value: submissions, text: counted(submissions) }),
  )
  const highest = Math.max(...periods.map(({ submissions }) => submissions))
  const table = (
    <table>
      <thead>
        <tr>
          <th scope="col">{isMany(days.length) ? 'Seven days from' : 'Day'}</th>
          <th scope="col" className="number">
            Submissions
          </th>
          <th scope="col" className="number">
            Survey responses
          </th>
        </tr>
      </thead>
      <tbody>
        {periods.map(({ day, submissions, responses }) => (
          <tr key={day}>
            <th scope="row">{dayText(day)}</th>
            <td className="number">{submissions}</td>
            <td className="number">{responses}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
  return (
    <Chart
      title={isMany(days.length) ? 'Submissions a week' : 'Submissions a day'}
      look="columns"
      points={points}
      ticks={ticksTo(highest)}
      table={table}
    />
  )
}

function counted(submissions: number): string {
  return submissions === 1 ? '1 submission' : `${submissions} submissions`
}

function inWeeks(days: Overview['days']): Overview['days'] {
  // The last seven days are whole, the first may be fewer.
  const rest = days.length % WEEK
  const starts = days.flatMap((_, index) => (index % WEEK === rest % WEEK || index === 0 ? [index] : []))
  return starts.map((start, place) => {
    const week = days.slice(start, starts[place + 1])
    const sum = (name: 'submissions' | 'responses') => week.reduce((total, day) => total + day[name], 0)
    return { day: week[0]?.day ?? '', submissions: sum('submissions'), responses: sum('responses') }
  })
}

/** How the submissions divide by rating and by channel. */
export function Shares({ figures: { rating, channel, total } }: { figures: Overview['current']['submissions'] }) {
  const ratings = ([5, 4, 3, 2, 1, 'none'] as const).map((stars) => ({ name: RATINGS[stars], count: rating[stars] }))
  const channels = (['public', 'dashboard', 'api', 'mcp', 'import'] as const).map((name) => ({
    name: CHANNELS[name],
    count: channel[name],
  }))
  return (
    <div className="shares">
      <Section title="Ratings">
        <Bars bars={ratings} total={total} />
      </Section>
      <Section title="Channels">
        <Bars bars={channels} total={total} />
      </Section>
    </div>
  )
}

function Bars({ bars, total }: { bars: readonly { name: string; count: number }[]; total: number }) {
  return (
    <ul className="bars">
      {bars.map(({ name, count }) => (
        <li key={name}>
          <span>{name}</span>
          <i data-empty={count === 0 || undefined} style={{ inlineSize: `${(100 * count) / total}%` }} />
          <b>
            {count.toLocaleString('en')} <small>{Math.round((100 * count) / total)}%</small>
          </b>
        </li>
      ))}
    </ul>
  )
}
