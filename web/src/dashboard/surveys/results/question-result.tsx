import { Icon } from '../../ui/icon.tsx'
import { Stars } from '../../ui/stars.tsx'
import type { QuestionResults } from '../queries.ts'
import { questionTypes } from '../question-types.ts'
import type { AskedProps } from './asked.ts'
import { Bars } from './bars.tsx'
import { NpsResult } from './nps-result.tsx'
import { TextList } from './text-list.tsx'

const MAX_STARS_SHOWN = 5

/** The results of one question, drawn as its type asks for. */
export function QuestionResult(props: AskedProps) {
  const { question, responses } = props
  const { label, icon } = questionTypes[question.type]
  const share = responses === 0 ? 0 : Math.round((question.answered / responses) * 100)
  return (
    <section className="card result">
      <header>
        <h2 dir="auto">{question.title}</h2>
        <p className="soft">
          <Icon name={icon} />
          {label} · {question.answered.toLocaleString('en')} {question.answered === 1 ? 'answer' : 'answers'} ({share}% of responses)
        </p>
      </header>
      {question.answered === 0 ? <p className="soft">Nobody has answered this question.</p> : <Figures {...props} />}
    </section>
  )
}

function Figures(props: AskedProps) {
  const { question } = props
  if (question.nps) return <NpsResult {...props} nps={question.nps} />
  if (question.texts) return <TextList {...props} />
  if (question.type === 'email') return <p className="soft">E-mail addresses stand in the responses, for members who may see them.</p>
  return (
    <>
      <Average question={question} />
      <Quantiles question={question} />
      {question.choices && <Bars question={question} choices={question.choices} />}
    </>
  )
}

function Average({ question: { type, average, choices } }: { question: QuestionResults }) {
  if (average === null) return null
  const highest = choices?.length
  return (
    <p className="result-average">
      <strong>{average.toLocaleString('en')}</strong>
      {type === 'rating' && highest === MAX_STARS_SHOWN && <Stars rating={Math.round(average)} />}
      <span className="soft">{highest === undefined ? 'on average' : `on average, of ${highest}`}</span>
    </p>
  )
}

/** How numbers are spread: the middle half as a box between the ends. */
function Quantiles({ question: { quantiles } }: { question: QuestionResults }) {
  if (!quantiles) return null
  const { min, p25, median, p75, max } = quantiles
  const width = max - min || 1
  const at = (value: number) => ((value - min) / width) * 100
  const figures = [
    ['Smallest', min],
    ['A quarter at most', p25],
    ['Median', median],
    ['Three quarters at most', p75],
    ['Largest', max],
  ] as const
  return (
    <figure className="quantiles">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <path d="M0 5H100" className="whisker" />
        <rect x={at(p25)} y="0.5" width={Math.max(0.6, at(p75) - at(p25))} height="9" rx="0.5" />
        <path d={`M${at(median)} 0V10`} className="median" />
      </svg>
      <figcaption>
        <dl>
          {figures.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value.toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
      </figcaption>
    </figure>
  )
}
