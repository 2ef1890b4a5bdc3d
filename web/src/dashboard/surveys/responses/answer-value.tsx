import { Icon } from '../../ui/icon.tsx'
import { Stars } from '../../ui/stars.tsx'
import type { QuestionResults, SurveyResponse } from '../queries.ts'
import { AnswerText } from '../results/answer-text.tsx'

const FIVE = 5

type Answer = SurveyResponse['answers'][number]

interface AnswerValueProps {
  answer: Answer
  /** The question of the version that was answered; undefined if it is not known. */
  question: QuestionResults | undefined
}

/** An answer as its type asks for. */
export function AnswerValue({ answer: { type, value }, question }: AnswerValueProps) {
  if (value === null) return <p className="soft">Hidden: it was erased, or your role does not show it.</p>
  const labelOf = (one: string) => question?.choices?.find((choice) => choice.value === one)?.label ?? one
  if (Array.isArray(value))
    return (
      <ul className="answer-choices">
        {value.map((one) => (
          <li key={one} className="tag" dir="auto">
            {labelOf(one)}
          </li>
        ))}
      </ul>
    )
  if (type === 'nps' && typeof value === 'number') return <NpsMark score={value} />
  if (type === 'rating' && typeof value === 'number' && question?.choices?.length === FIVE) return <Stars rating={value} />
  if (typeof value === 'boolean') return <YesNo type={type} isYes={value} />
  const text = type === 'single_choice' ? labelOf(String(value)) : String(value)
  const scale = question?.choices && typeof value === 'number' ? ` of ${question.choices.at(-1)?.value}` : ''
  return <AnswerText type={type} value={`${text}${scale}`} />
}

function YesNo({ type, isYes }: { type: Answer['type']; isYes: boolean }) {
  const [yes, no] = type === 'consent' ? ['Agreed', 'Did not agree'] : ['Yes', 'No']
  return (
    <p className="answer-yes">
      <Icon name={isYes ? 'check' : 'x'} />
      {isYes ? yes : no}
    </p>
  )
}

/** An NPS score in the colour of its group. */
export function NpsMark({ score }: { score: number }) {
  return (
    <span className={`tag nps-mark ${lookOf(score)}`}>
      <span className="sr">NPS </span>
      {score}
    </span>
  )
}

function lookOf(score: number): 'good' | 'warn' | 'bad' {
  if (score >= 9) return 'good'
  return score >= 7 ? 'warn' : 'bad'
}
