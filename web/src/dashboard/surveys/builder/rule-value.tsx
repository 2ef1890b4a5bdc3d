import { useState } from 'react'
import type { ConditionRule } from '../queries.ts'
import { type Choice, choicesOf, numbersOf } from './conditions.ts'
import { type DraftQuestion, numberOf } from './draft.ts'

interface RuleValueProps {
  rule: ConditionRule
  /** The question whose answer is compared. */
  asked: DraftQuestion
  number: number
  onChange: (rule: ConditionRule) => void
}

/** What an answer is compared with: chosen where the answers are known, typed where they are not. */
export function RuleValue(props: RuleValueProps) {
  const { rule, asked } = props
  if (rule.op === 'answered' || rule.op === 'not_answered') return null
  const choices = choicesOf(asked)
  if (choices) return rule.op === 'one_of' ? <SomeOf {...props} choices={choices} /> : <OneOf {...props} choices={choices} />
  return asked.type === 'date' ? <DateValue {...props} /> : <NumberValue key={rule.op} {...props} />
}

function OneOf({ rule, number, choices, onChange }: RuleValueProps & { choices: readonly Choice[] }) {
  const known = choices.find(({ value }) => value === rule.value)
  return (
    <select
      aria-label={`Value of condition ${number}`}
      value={known ? String(known.value) : ''}
      onChange={(event) => {
        const chosen = choices.find(({ value }) => String(value) === event.target.value)
        if (chosen) onChange({ ...rule, value: chosen.value })
      }}
    >
      {!known && (
        <option value="" disabled>
          {String(rule.value)} (no longer a choice)
        </option>
      )}
      {choices.map(({ value, label }) => (
        <option key={String(value)} value={String(value)}>
          {label}
        </option>
      ))}
    </select>
  )
}

function SomeOf({ rule, number, choices, onChange }: RuleValueProps & { choices: readonly Choice[] }) {
  const values = Array.isArray(rule.value) ? rule.value : []
  const toggle = (value: string | number, isOn: boolean) =>
    onChange({ ...rule, value: isOn ? [...values, value] : values.filter((one) => one !== value) })
  return (
    <fieldset className="rule-values">
      <legend className="sr">Values of condition {number}</legend>
      {choices.map(({ value, label }) =>
        typeof value === 'boolean' ? null : (
          <label key={value}>
            <input type="checkbox" checked={values.includes(value)} onChange={(event) => toggle(value, event.target.checked)} />
            <span dir="auto">{label}</span>
          </label>
        ),
      )}
    </fieldset>
  )
}

function DateValue({ rule, number, onChange }: RuleValueProps) {
  return (
    <input
      type="date"
      aria-label={`Value of condition ${number}`}
      value={String(rule.value ?? '')}
      onChange={(event) => onChange({ ...rule, value: event.target.value })}
    />
  )
}

/** What is no number stays as it was typed, and is marked. */
function NumberValue({ rule, number, onChange }: RuleValueProps) {
  const [text, setText] = useState(() => (Array.isArray(rule.value) ? rule.value.join(', ') : String(rule.value ?? '')))
  const isList = rule.op === 'one_of'
  return (
    <input
      type="text"
      inputMode="decimal"
      aria-label={`Value of condition ${number}`}
      placeholder={isList ? '1, 2, 3' : 'A number'}
      value={text}
      onChange={(event) => {
        const typed = event.target.value
        setText(typed)
        onChange({ ...rule, value: isList ? numbersOf(typed) : (numberOf(typed) ?? typed) })
      }}
    />
  )
}
