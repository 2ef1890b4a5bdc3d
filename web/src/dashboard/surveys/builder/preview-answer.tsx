import type { AnswerValue } from '@earshot/contracts/constants'
import { type ReactNode, useId } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { scaleOf } from '../question-types.ts'
import { type DraftQuestion, numberOf } from './draft.ts'

interface PreviewAnswerProps {
  question: DraftQuestion
  answer: AnswerValue | undefined
  /** The id of the question's text. */
  labelledBy: string
  onAnswer: (value: AnswerValue | undefined) => void
}

const INPUTS = { short_text: 'text', email: 'email', url: 'url', date: 'date' } as const

/** The field of a question, as respondents get it. Nothing is sent. */
export function PreviewAnswer(props: PreviewAnswerProps) {
  const { question, answer, labelledBy, onAnswer } = props
  const text = typeof answer === 'string' ? answer : ''
  switch (question.type) {
    case 'statement':
      return null
    case 'nps':
    case 'csat':
    case 'ces':
    case 'rating':
      return <Scale {...props} />
    case 'single_choice':
      return <Choices {...props} options={question.options.map(({ value, label }) => ({ value, label }))} />
    case 'boolean':
      return <YesNo {...props} />
    case 'multiple_choice':
      return <Several {...props} />
    case 'consent':
      return (
        <label className="preview-choice">
          <input type="checkbox" checked={answer === true} onChange={(event) => onAnswer(event.target.checked)} />
          <span>I agree</span>
        </label>
      )
    case 'long_text':
      return <textarea rows={4} dir="auto" aria-labelledby={labelledBy} value={text} onChange={(event) => onAnswer(event.target.value)} />
    case 'number':
      return <NumberAnswer {...props} />
    default:
      return (
        <input
          type={INPUTS[question.type]}
          dir="auto"
          aria-labelledby={labelledBy}
          value={text}
          onChange={(event) => onAnswer(event.target.value)}
        />
      )
  }
}

function Scale({ question, answer, labelledBy, onAnswer }: PreviewAnswerProps) {
  const name = useId()
  const values = scaleOf(question.type, question.stars) ?? []
  const isStars = question.type === 'rating'
  return (
    <div role="radiogroup" aria-labelledby={labelledBy} className="preview-scale">
      <div data-stars={isStars || undefined}>
        {values.map((value) => (
          <label key={value} data-on={(isStars ? typeof answer === 'number' && value <= answer : value === answer) || undefined}>
            <input type="radio" name={name} className="sr" checked={value === answer} onChange={() => onAnswer(value)} />
            {isStars && <Icon name="star" />}
            <span className={isStars ? 'sr' : undefined}>{value}</span>
          </label>
        ))}
      </div>
      {(question.lowLabel.trim() || question.highLabel.trim()) && (
        <p>
          <span dir="auto">{question.lowLabel}</span>
          <span dir="auto">{question.highLabel}</span>
        </p>
      )}
    </div>
  )
}

interface ChoicesProps extends PreviewAnswerProps {
  options: readonly { value: string; label: ReactNode }[]
}

function Choices({ answer, labelledBy, onAnswer, options }: ChoicesProps) {
  const name = useId()
  return (
    <div role="radiogroup" aria-labelledby={labelledBy} className="preview-choices">
      {options.map(({ value, label }) => (
        <label key={value} className="preview-choice">
          <input type="radio" name={name} checked={answer === value} onChange={() => onAnswer(value)} />
          <span dir="auto">{label}</span>
        </label>
      ))}
    </div>
  )
}

const YES_NO = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

function YesNo(props: PreviewAnswerProps) {
  const answer = props.answer === undefined ? undefined : String(props.answer)
  return <Choices {...props} answer={answer} options={YES_NO} onAnswer={(value) => props.onAnswer(value === 'true')} />
}

function Several({ question, answer, labelledBy, onAnswer }: PreviewAnswerProps) {
  const chosen = Array.isArray(answer) ? answer : []
  const toggle = (value: string, isOn: boolean) => onAnswer(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need the question's text as its legend, once more
    <div role="group" aria-labelledby={labelledBy} className="preview-choices">
      {question.options.map(({ key, value, label }) => (
        <label key={key} className="preview-choice">
          <input type="checkbox" checked={chosen.includes(value)} onChange={(event) => toggle(value, event.target.checked)} />
          <span dir="auto">{label}</span>
        </label>
      ))}
    </div>
  )
}

function NumberAnswer({ labelledBy, answer, onAnswer }: PreviewAnswerProps) {
  return (
    <input
      type="text"
      inputMode="decimal"
      aria-labelledby={labelledBy}
      defaultValue={typeof answer === 'number' ? answer : ''}
      onChange={(event) => onAnswer(numberOf(event.target.value) ?? undefined)}
    />
  )
}
