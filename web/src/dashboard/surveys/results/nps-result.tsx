import { getRouteApi, Link } from '@tanstack/react-router'
import { npsText } from '../../ui/numbers.ts'
import type { QuestionResults } from '../queries.ts'
import './nps.css'
import type { AskedProps } from './asked.ts'
import { Bar, BarsHead } from './bars.tsx'
import { NpsCourse } from './nps-course.tsx'

const route = getRouteApi('/$team/$project/surveys/$survey/results')
const RADIUS = 80
const LENGTH = Math.PI * RADIUS

type Nps = NonNullable<QuestionResults['nps']>

/** The Net Promoter Score: the score, the three groups it is made of, the scores that were given, and its course. */
export function NpsResult(props: AskedProps & { nps: Nps }) {
  const { nps, question } = props
  return (
    <>
      <div className="nps">
        <Gauge score={nps.score ?? 0} />
        <Groups nps={nps} />
      </div>
      {question.choices && <Scores choices={question.choices} />}
      <NpsCourse {...props} />
    </>
  )
}

function Gauge({ score }: { score: number }) {
  const share = (score + 100) / 200
  const look = lookOf(score)
  return (
    <figure className="gauge">
      <svg viewBox="0 0 200 116" role="img" aria-label={`Net Promoter Score: ${score}, from −100 to 100`}>
        <path d="M20 100a80 80 0 0 1 160 0" className="track" />
        <path d="M20 100a80 80 0 0 1 160 0" className={look} strokeDasharray={`${share * LENGTH} ${LENGTH}`} />
      </svg>
      <figcaption aria-hidden="true">
        <strong>{npsText(score)}</strong>
        <span>NPS</span>
      </figcaption>
    </figure>
  )
}

function lookOf(score: number): 'good' | 'warn' | 'bad' {
  if (score >= 30) return 'good'
  return score >= 0 ? 'warn' : 'bad'
}

function Groups({ nps }: { nps: Nps }) {
  const { language, version } = route.useSearch()
  const filters = { ...(language !== undefined && { language }), ...(version !== undefined && { version }) }
  const params = route.useParams()
  const groups = [
    { group: 'promoters', label: 'Promoters', range: '9–10', count: nps.promoters, percent: nps.promoters_percent },
    { group: 'passives', label: 'Passives', range: '7–8', count: nps.passives, percent: nps.passives_percent },
    { group: 'detractors', label: 'Detractors', range: '0–6', count: nps.detractors, percent: nps.detractors_percent },
  ] as const
  return (
    <table className="bars groups">
      <caption className="sr">Promoters, passives and detractors</caption>
      <BarsHead first="Group" />
      <tbody>
        {groups.map(({ group, label, range, count, percent }) => (
          <tr key={group}>
            <th scope="row">
              <Link to="/$team/$project/surveys/$survey/responses" params={params} search={{ group, ...filters }}>
                {label}
              </Link>{' '}
              <small>{range}</small>
            </th>
            <td>
              <Bar width={percent ?? 0} percent={percent ?? 0} look={group} />
            </td>
            <td className="number">{count.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How often each score was given, as columns. The table below says the same. */
function Scores({ choices }: { choices: NonNullable<QuestionResults['choices']> }) {
  const most = Math.max(...choices.map(({ count }) => count), 1)
  return (
    <figure className="scores">
      <div aria-hidden="true">
        {choices.map(({ value, count }) => (
          <span key={value} data-group={groupOf(Number(value))}>
            <small>{count}</small>
            <i style={{ blockSize: `${(count / most) * 100}%` }} />
            <b>{value}</b>
          </span>
        ))}
      </div>
      <figcaption>
        <details>
          <summary>Scores as a table</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">Score</th>
                <th scope="col" className="number">
                  Responses
                </th>
                <th scope="col" className="number">
                  Share
                </th>
              </tr>
            </thead>
            <tbody>
              {choices.map(({ value, count, percent }) => (
                <tr key={value}>
                  <th scope="row">{value}</th>
                  <td className="number">{count}</td>
                  <td className="number">{percent ?? 0}%</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </figcaption>
    </figure>
  )
}

function groupOf(score: number): 'promoters' | 'passives' | 'detractors' {
  if (score >= 9) return 'promoters'
  return score >= 7 ? 'passives' : 'detractors'
}
