import { Button, IconButton } from '../../ui/button.tsx'
import type { Condition, ConditionRule } from '../queries.ts'
import type { Problems } from './checks.ts'
import { newRule, operatorsOf, ruleWith, titleOf } from './conditions.ts'
import type { Draft, DraftQuestion } from './draft.ts'
import { RuleValue } from './rule-value.tsx'

const MAX_RULES = 10

interface ConditionEditorProps {
  question: DraftQuestion
  draft: Draft
  problems: Problems
  onChange: (condition: Condition | null) => void
}

/** When a question is asked, by the answers to earlier ones. */
export function ConditionEditor({ question, draft, problems, onChange }: ConditionEditorProps) {
  const { condition } = question
  const at = draft.questions.findIndex(({ key }) => key === question.key)
  const earlier = draft.questions.slice(0, at).filter(({ type }) => type !== 'statement')
  const last = earlier.at(-1)
  const rules = condition?.rules ?? []
  const match = condition?.match ?? 'all'
  const set = (changed: readonly ConditionRule[]) => onChange(changed.length === 0 ? null : { match, rules: [...changed] })
  if (!last && rules.length === 0)
    return <p className="soft">From the second question on, you can show a question depending on earlier answers.</p>
  return (
    <fieldset className="choices conditions">
      <legend>Ask only if</legend>
      {rules.length === 0 && <p className="hint">No condition: everybody is asked.</p>}
      {rules.length > 1 && (
        <select
          aria-label="How the conditions combine"
          value={match}
          onChange={(event) => onChange({ match: event.target.value === 'any' ? 'any' : 'all', rules })}
        >
          <option value="all">all of these hold</option>
          <option value="any">one of these holds</option>
        </select>
      )}
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule is nothing but its place and its values
        <div key={index} className="rule">
          <RuleFields
            rule={rule}
            number={index + 1}
            earlier={earlier}
            problem={ruleProblemAt(problems, index)}
            onChange={(changed) => set(rules.with(index, changed))}
          />
          <IconButton icon="x" label={`Remove condition ${index + 1}`} onClick={() => set(rules.toSpliced(index, 1))} />
        </div>
      ))}
      {last && rules.length < MAX_RULES && (
        <Button icon="plus" look="quiet" onClick={() => set([...rules, newRule(last)])}>
          Add a condition
        </Button>
      )}
    </fieldset>
  )
}

interface RuleFieldsProps {
  rule: ConditionRule
  number: number
  earlier: readonly DraftQuestion[]
  problem: string | undefined
  onChange: (rule: ConditionRule) => void
}

function RuleFields({ rule, number, earlier, problem, onChange }: RuleFieldsProps) {
  const asked = earlier.find(({ ref }) => ref === rule.ref)
  const choose = (ref: string) => {
    const chosen = earlier.find((one) => one.ref === ref)
    if (chosen) onChange(newRule(chosen))
  }
  return (
    <div className="rule-fields" data-bad={problem !== undefined || undefined}>
      <select aria-label={`Question of condition ${number}`} value={rule.ref} onChange={(event) => choose(event.target.value)}>
        {!asked && (
          <option value={rule.ref} disabled>
            {rule.ref} (not an earlier question)
          </option>
        )}
        {earlier.map((one) => (
          <option key={one.key} value={one.ref}>
            {titleOf(one)}
          </option>
        ))}
      </select>
      {asked && (
        <>
          <select
            aria-label={`Comparison of condition ${number}`}
            value={rule.op}
            onChange={(event) => {
              const chosen = operatorsOf(asked.type).find(({ value }) => value === event.target.value)
              if (chosen) onChange(ruleWith(asked, chosen.value, rule.value))
            }}
          >
            {operatorsOf(asked.type).map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <RuleValue rule={rule} asked={asked} number={number} onChange={onChange} />
        </>
      )}
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

/** The page names a whole rule, the service a field of it. */
function ruleProblemAt(problems: Problems, index: number): string | undefined {
  const stem = `show_if.rules.${index}`
  return problems.get(stem) ?? ['ref', 'op', 'value'].map((field) => problems.get(`${stem}.${field}`)).find((one) => one !== undefined)
}
