import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import type { QuestionType } from '../queries.ts'
import { changeOption, changeQuestion, withOptions } from './changes.ts'
import type { DraftOption } from './draft.ts'
import type { EditedQuestionProps } from './edited-question.ts'

const MAX_OPTIONS = 100

/** The choices of a question: Enter adds the next one, and pasted lines become one choice each. */
export function ChoicesEditor({ question, editing, problems }: EditedQuestionProps) {
  const { key, type, options } = question
  const list = useRef<HTMLFieldSetElement>(null)
  const [focused, setFocused] = useState<{ at: number } | null>(null)
  useEffect(() => {
    if (focused) list.current?.querySelectorAll<HTMLElement>('[data-choice]')[focused.at]?.focus()
  }, [focused])
  const set = (changed: readonly DraftOption[], focus?: number) => {
    editing.change((draft) => changeQuestion(draft, key, { options: changed.slice(0, MAX_OPTIONS) }))
    if (focus !== undefined) setFocused({ at: focus })
  }
  const move = (index: number, to: number) => {
    const option = options[index]
    if (option && to >= 0 && to < options.length) set(options.toSpliced(index, 1).toSpliced(to, 0, option), to)
  }
  return (
    <fieldset ref={list} className="choices choice-list">
      <legend>Choices</legend>
      {options.map((option, index) => (
        <ChoiceField
          key={option.key}
          option={option}
          {...{ type, index, isOnly: options.length === 1, problem: problemOf(problems, index) }}
          onChange={(label) => editing.change((draft) => changeOption(draft, key, option, label))}
          onRemove={() => set(options.toSpliced(index, 1), Math.max(0, index - 1))}
          onNext={() => setFocused({ at: index + 1 })}
          onMove={(to) => move(index, to)}
        />
      ))}
      {options.length < MAX_OPTIONS && (
        <NewChoice type={type} hintId={`${key}-choices`} onAdd={(labels) => set(withOptions(options, labels))} />
      )}
      <p className="hint" id={`${key}-choices`}>
        Enter adds a choice; paste a list to add one for each line. Alt and the arrow keys move a choice.
      </p>
    </fieldset>
  )
}

interface ChoiceFieldProps {
  option: DraftOption
  type: QuestionType
  index: number
  isOnly: boolean
  problem: string | undefined
  onChange: (label: string) => void
  onRemove: () => void
  /** Goes to the field below. */
  onNext: () => void
  onMove: (to: number) => void
}

function ChoiceField({ option, type, index, isOnly, problem, onChange, onRemove, onNext, onMove }: ChoiceFieldProps) {
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onNext()
    else if (event.altKey && event.key === 'ArrowUp') onMove(index - 1)
    else if (event.altKey && event.key === 'ArrowDown') onMove(index + 1)
    else return
    event.preventDefault()
  }
  return (
    <div className="choice-row">
      <span aria-hidden="true" data-many={type === 'multiple_choice' || undefined} />
      <input
        type="text"
        data-choice
        dir="auto"
        maxLength={200}
        aria-label={`Choice ${index + 1}`}
        aria-invalid={!option.label.trim() || undefined}
        value={option.label}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={press}
      />
      <IconButton icon="x" label={`Remove choice ${index + 1}`} disabled={isOnly} onClick={onRemove} />
      {problem !== undefined && <p className="field-error">{problem}</p>}
    </div>
  )
}

interface NewChoiceProps {
  type: QuestionType
  hintId: string
  onAdd: (labels: readonly string[]) => void
}

function NewChoice({ type, hintId, onAdd }: NewChoiceProps) {
  const [text, setText] = useState('')
  const add = (labels: readonly string[]) => {
    onAdd(labels)
    setText('')
  }
  const paste = (event: ClipboardEvent) => {
    const lines = linesOf(event.clipboardData.getData('text'))
    if (lines.length < 2) return
    event.preventDefault()
    add([text, ...lines])
  }
  return (
    <div className="choice-row">
      <span aria-hidden="true" data-many={type === 'multiple_choice' || undefined} />
      <input
        type="text"
        data-choice
        dir="auto"
        maxLength={200}
        aria-label="Add a choice"
        aria-describedby={hintId}
        placeholder="Add a choice"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onPaste={paste}
        onBlur={() => text.trim() && add([text])}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add([text])
        }}
      />
    </div>
  )
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '')
}

function problemOf(problems: EditedQuestionProps['problems'], index: number): string | undefined {
  return problems.get(`options.${index}.label`) ?? problems.get(`options.${index}.value`)
}
