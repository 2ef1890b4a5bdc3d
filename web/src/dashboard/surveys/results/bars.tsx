import { getRouteApi, Link } from '@tanstack/react-router'
import { Icon } from '../../ui/icon.tsx'
import type { QuestionResults } from '../queries.ts'

const route = getRouteApi('/$team/$project/surveys/$survey/results')
/** Room for the longest share, "99.9%", with its distances. */
const TEXT_WIDTH = '3.5rem'
const YES_NO: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' }

type Choices = NonNullable<QuestionResults['choices']>

/** How often each answer was given: a table whose numbers have bars beside them. Each answer leads to its responses. */
export function Bars({ question, choices }: { question: QuestionResults; choices: Choices }) {
  const most = Math.max(...choices.map(({ count }) => count), 1)
  return (
    <table className="bars">
      <caption className="sr">Answers to “{question.title}”</caption>
      <BarsHead first="Answer" />
      <tbody>
        {choices.map(({ value, label, count, percent }) => (
          <tr key={value}>
            <th scope="row" dir="auto">
              <AnswerLink question={question} value={value} label={label} />
            </th>
            <td>
              <Bar width={(count / most) * 100} percent={percent ?? 0} />
            </td>
            <td className="number">{count.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface BarProps {
  /** Of the cell, from 0 to 100. */
  width: number
  percent: number
  look?: 'promoters' | 'passives' | 'detractors'
}

/** A bar with its share: inside where it fits, behind the end of a bar that is too short for it. */
export function Bar({ width, percent, look }: BarProps) {
  return (
    <>
      <span className={`bar ${look ?? ''}`} style={{ inlineSize: `${width}%` }} />
      <span style={{ marginInlineStart: `clamp(0px, calc((${TEXT_WIDTH} - ${width}%) * 1000), ${width}%)` }}>{percent}%</span>
    </>
  )
}

/** The heads are read out only: a column that is taken out of the table would lose its width. */
export function BarsHead({ first }: { first: string }) {
  return (
    <thead>
      <tr>
        {[first, 'Share', 'Responses'].map((head) => (
          <th key={head} scope="col">
            <span className="sr">{head}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}

function AnswerLink({ question, value, label }: { question: QuestionResults; value: string; label: string }) {
  const { language, version } = route.useSearch()
  const params = route.useParams()
  const filters = { ...(language !== undefined && { language }), ...(version !== undefined && { version }) }
  return (
    <Link to="/$team/$project/surveys/$survey/responses" params={params} search={{ question_id: question.question_id, value, ...filters }}>
      {question.type === 'rating' ? (
        <>
          {value}
          <Icon name="star" />
          <span className="sr"> stars</span>
        </>
      ) : (
        (YES_NO[label] ?? label)
      )}
    </Link>
  )
}
