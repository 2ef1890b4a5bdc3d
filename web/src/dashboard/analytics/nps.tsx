import { Link } from '@tanstack/react-router'
import type { api, Output } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { npsText } from '../ui/numbers.ts'
import { Chart, type Point } from './chart.tsx'
import { dayText, monthText } from './days.ts'

type Nps = Output<typeof api.analytics.nps>

const TICKS = [-100, -50, 0, 50, 100]
const PARTS = [
  { name: 'promoters', text: 'Promoters', answers: '9–10' },
  { name: 'passives', text: 'Passives', answers: '7–8' },
  { name: 'detractors', text: 'Detractors', answers: '0–6' },
] as const
const PERIODS = { day: 'Day', week: 'Week from', month: 'Month' } as const
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** The score of the range, who it is made of, and its course. */
export function NpsParts({ nps, interval }: { nps: Nps; interval: 'day' | 'week' | 'month' }) {
  if (nps.answered === 0)
    return (
      <Empty
        icon="gauge"
        title="No answers in this time"
        actions={
          <Link to="." search={{ range: '365d' }} className="btn plain">
            Show 12 months
          </Link>
        }
      >
        The score comes from questions of type NPS in your surveys: “How likely are you to recommend us?”
      </Empty>
    )
  const nameOf = interval === 'month' ? monthText : dayText
  const points = nps.series.map(
    ({ start, score, answered }): Point => ({ start, label: nameOf(start), value: score, text: periodText(score, answered) }),
  )
  return (
    <>
      <div className="nps">
        <p className="nps-score">
          <b>{npsText(nps.score ?? 0)}</b>
          <small>from {counted(nps.answered)}</small>
        </p>
        <div className="nps-parts">
          <div className="nps-bar" aria-hidden="true">
            {PARTS.map(({ name }) => (
              <i key={name} className={name} style={{ flexGrow: nps[name] }} />
            ))}
          </div>
          <ul>
            {PARTS.map(({ name, text, answers }) => (
              <li key={name}>
                <i className={name} aria-hidden="true" />
                <span>
                  {text} <small>({answers})</small>
                </span>
                <b>{number.format(nps[`${name}_percent`] ?? 0)}%</b>
                <small>{counted(nps[name])}</small>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <Chart
        title="Net Promoter Score over time"
        look="line"
        points={points}
        ticks={TICKS}
        table={<NpsTable nps={nps} period={PERIODS[interval]} nameOf={nameOf} />}
      />
    </>
  )
}

function NpsTable({ nps, period, nameOf }: { nps: Nps; period: string; nameOf: (day: string) => string }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{period}</th>
          <th scope="col" className="number">
            Score
          </th>
          <th scope="col" className="number">
            Answers
          </th>
        </tr>
      </thead>
      <tbody>
        {nps.series.map(({ start, score, answered }) => (
          <tr key={start}>
            <th scope="row">{nameOf(start)}</th>
            <td className="number">{score === null ? '–' : npsText(score)}</td>
            <td className="number">{answered}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function periodText(score: number | null, answered: number): string {
  return score === null ? 'no answers' : `NPS ${npsText(score)} from ${counted(answered)}`
}

function counted(answers: number): string {
  return answers === 1 ? '1 answer' : `${answers.toLocaleString('en')} answers`
}
