import { useEffect, useRef } from 'react'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { hasOptions, questionTypes, typeOrder } from '../question-types.ts'
import { changeQuestion, changeRef, changeType } from './changes.ts'
import { ChoicesEditor } from './choices-editor.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import type { DraftQuestion } from './draft.ts'
import type { EditedQuestionProps } from './edited-question.ts'
import { TypeFields } from './type-fields.tsx'

interface QuestionEditorProps extends EditedQuestionProps {
  /** It was just added, so its text is typed next. */
  isNew: boolean
}

/** The fields of the question that is open. */
export function QuestionEditor({ question, editing, problems, isNew }: QuestionEditorProps) {
  const { key, type, title, description } = question
  const set = (change: Partial<DraftQuestion>) => editing.change((draft) => changeQuestion(draft, key, change))
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isNew) return
    const field = fields.current?.querySelector('textarea')
    field?.focus()
    field?.select()
  }, [isNew])
  const isStored = question.id !== undefined && editing.survey.status !== 'draft'
  return (
    <div ref={fields} className="question-editor stack">
      <TextArea
        label={type === 'statement' ? 'Text' : 'Question'}
        rows={1}
        maxLength={500}
        value={title}
        onChange={(event) => set({ title: event.target.value })}
        error={problems.get('title')}
      />
      <TextArea
        label="Description"
        hint="Optional. It is shown below in smaller letters."
        rows={1}
        maxLength={2_000}
        value={description}
        onChange={(event) => set({ description: event.target.value })}
        error={problems.get('description')}
      />
      {hasOptions(type) && <ChoicesEditor question={question} editing={editing} problems={problems} />}
      <TypeFields question={question} problems={problems} onChange={set} />
      {type !== 'statement' && (
        <CheckField
          label={type === 'consent' ? 'Required: only people who agree can go on' : 'Required'}
          checked={question.isRequired}
          onChange={(event) => set({ isRequired: event.target.checked })}
        />
      )}
      <ConditionEditor question={question} draft={editing.draft} problems={problems} onChange={(condition) => set({ condition })} />
      <details className="question-more" open={problems.has('ref') || problems.has('type') || undefined}>
        <summary>Type and name</summary>
        <div className="field-pair">
          <SelectField
            label="Type"
            value={type}
            onChange={(event) => {
              const chosen = typeOrder.find((one) => one === event.target.value)
              if (chosen) editing.change((draft) => changeType(draft, key, chosen))
            }}
            options={typeOrder.map((value) => ({ value, label: questionTypes[value].label }))}
            error={problems.get('type')}
            hint={isStored ? 'Another type makes another question: earlier answers stay with the earlier versions.' : undefined}
          />
          <TextField
            label="Name in exports and in the API"
            value={question.ref}
            maxLength={50}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => editing.change((draft) => changeRef(draft, key, event.target.value))}
            error={problems.get('ref')}
          />
        </div>
      </details>
    </div>
  )
}
