import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import type { Problems } from './checks.ts'
import type { DraftQuestion } from './draft.ts'

const STARS = [3, 4, 5, 6, 7, 8, 9, 10].map((count) => ({ value: String(count), label: `${count} stars` }))

interface TypeFieldsProps {
  question: DraftQuestion
  problems: Problems
  onChange: (change: Partial<DraftQuestion>) => void
}

/** The fields that only some types have. */
export function TypeFields(props: TypeFieldsProps) {
  switch (props.question.type) {
    case 'rating':
    case 'nps':
    case 'csat':
    case 'ces':
      return <ScaleFields {...props} />
    case 'multiple_choice':
      return <CountFields {...props} />
    case 'short_text':
    case 'long_text':
      return <LengthField {...props} />
    case 'number':
    case 'date':
      return <BoundFields {...props} />
    default:
      return null
  }
}

function ScaleFields({ question, problems, onChange }: TypeFieldsProps) {
  return (
    <div className="field-pair">
      {question.type === 'rating' && (
        <SelectField
          label="Scale"
          value={String(question.stars)}
          options={STARS}
          onChange={(event) => onChange({ stars: Number(event.target.value) })}
        />
      )}
      <TextField
        label="Label of the lowest value"
        maxLength={100}
        dir="auto"
        value={question.lowLabel}
        onChange={(event) => onChange({ lowLabel: event.target.value })}
        error={problems.get('low_label')}
      />
      <TextField
        label="Label of the highest value"
        maxLength={100}
        dir="auto"
        value={question.highLabel}
        onChange={(event) => onChange({ highLabel: event.target.value })}
        error={problems.get('high_label')}
      />
    </div>
  )
}

function CountFields({ question, problems, onChange }: TypeFieldsProps) {
  return (
    <div className="field-pair">
      <TextField
        label="Minimum number of choices"
        inputMode="numeric"
        placeholder="Any number"
        value={question.minChoices}
        onChange={(event) => onChange({ minChoices: event.target.value })}
        error={problems.get('min_choices')}
      />
      <TextField
        label="Maximum number of choices"
        inputMode="numeric"
        placeholder="Any number"
        value={question.maxChoices}
        onChange={(event) => onChange({ maxChoices: event.target.value })}
        error={problems.get('max_choices')}
      />
    </div>
  )
}

function LengthField({ question, problems, onChange }: TypeFieldsProps) {
  return (
    <div className="field-pair">
      <TextField
        label="Maximum length, in characters"
        inputMode="numeric"
        placeholder={question.type === 'short_text' ? '1,000' : '10,000'}
        value={question.maxLength}
        onChange={(event) => onChange({ maxLength: event.target.value })}
        error={problems.get('max_length')}
      />
    </div>
  )
}

function BoundFields({ question, problems, onChange }: TypeFieldsProps) {
  const isDate = question.type === 'date'
  const field = isDate ? { type: 'date' } : { inputMode: 'decimal' as const, placeholder: 'Any number' }
  return (
    <div className="field-pair">
      <TextField
        {...field}
        label={isDate ? 'Earliest date' : 'Smallest number'}
        value={question.min}
        onChange={(event) => onChange({ min: event.target.value })}
        error={problems.get('min')}
      />
      <TextField
        {...field}
        label={isDate ? 'Latest date' : 'Largest number'}
        value={question.max}
        onChange={(event) => onChange({ max: event.target.value })}
        error={problems.get('max')}
      />
      {!isDate && (
        <CheckField
          label="Whole numbers only"
          checked={question.isWhole}
          onChange={(event) => onChange({ isWhole: event.target.checked })}
        />
      )}
    </div>
  )
}
