import { Icon } from '../../ui/icon.tsx'
import { questionTypes } from '../question-types.ts'
import { describeCondition, titleOf } from './conditions.ts'
import type { DraftQuestion } from './draft.ts'

interface QuestionSummaryProps {
  question: DraftQuestion
  number: number
  all: readonly DraftQuestion[]
}

/** A question in two lines: its text, and how it is asked. */
export function QuestionSummary({ question, number, all }: QuestionSummaryProps) {
  const { label, icon } = questionTypes[question.type]
  return (
    <>
      <Icon name={icon} />
      <span>
        <b dir="auto" data-untitled={!question.title.trim() || undefined}>
          <span className="sr">Question </span>
          {number}. {titleOf(question)}
        </b>
        <small>
          {label}
          {question.isRequired && ' · required'}
          {question.condition && <span dir="auto"> · only if {describeCondition(question.condition, all)}</span>}
        </small>
      </span>
    </>
  )
}
