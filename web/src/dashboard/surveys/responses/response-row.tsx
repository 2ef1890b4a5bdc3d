import { getRouteApi, Link } from '@tanstack/react-router'
import { Face } from '../../ui/face.tsx'
import { Ago } from '../../ui/time.tsx'
import type { Survey, SurveyResponse } from '../queries.ts'
import { NpsMark } from './answer-value.tsx'
import { respondentName } from './respondent.ts'

const route = getRouteApi('/$team/$project/surveys/$survey/responses')

/** Names the row of a response in the document. */
export function rowId(id: string): string {
  return `response-${id}`
}

interface ResponseRowProps {
  response: SurveyResponse
  survey: Survey
  isOpen: boolean
}

/** One response in the list: who, the score, and the first words. */
export function ResponseRow({ response, survey, isOpen }: ResponseRowProps) {
  const params = route.useParams()
  const search = route.useSearch()
  const name = respondentName(response)
  return (
    <li data-open={isOpen || undefined}>
      <Link
        to="/$team/$project/surveys/$survey/responses"
        params={params}
        search={{ ...search, response: response.id }}
        id={rowId(response.id)}
        resetScroll={false}
        aria-current={isOpen ? 'true' : undefined}
      >
        <Face name={name} />
        <span>
          <b dir="auto">{name}</b>
          <small dir="auto">{gistOf(response, survey)}</small>
        </span>
        <span className="response-side">
          {response.nps_score !== null && <NpsMark score={response.nps_score} />}
          <Ago at={response.created_at} />
        </span>
      </Link>
    </li>
  )
}

/** The first answer in words, or how many answers there are. */
function gistOf({ answers }: SurveyResponse, { questions }: Survey): string {
  const words = answers.find(({ type }) => type === 'long_text' || type === 'short_text')?.value
  if (typeof words === 'string') return words
  const chosen = answers.find(({ type }) => type === 'single_choice')
  const question = questions.find(({ id }) => id === chosen?.question_id)
  const label = question && 'options' in question ? question.options.find(({ value }) => value === chosen?.value)?.label : undefined
  return label ?? (answers.length === 1 ? '1 answer' : `${answers.length} answers`)
}
