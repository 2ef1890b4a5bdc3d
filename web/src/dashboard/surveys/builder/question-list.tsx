import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toasts.tsx'
import { questionTypes, typeOrder } from '../question-types.ts'
import { addQuestion, duplicateQuestion, moveQuestion, newQuestion, removeQuestion } from './changes.ts'
import { problemsOf } from './checks.ts'
import { titleOf } from './conditions.ts'
import type { DraftQuestion } from './draft.ts'
import type { OrderedListProps } from './ordered-list.ts'
import { QuestionEditor } from './question-editor.tsx'
import { QuestionSummary } from './question-summary.tsx'
import { refusalsOf, together } from './refusals.ts'
import type { DraftEditing } from './use-draft.ts'

const MAX_QUESTIONS = 100

/** Dragging is a comfort: without its chunk there are the buttons. */
const DraggedList = lazy(() =>
  import('./dragged-list.tsx').then(
    (loaded) => ({ default: loaded.DraggedList }),
    () => ({ default: PlainList }),
  ),
)

interface QuestionListProps {
  editing: DraftEditing
  openKey: string | undefined
  onOpen: (key: string | undefined) => void
}

/** The questions in their order. One is open at a time. */
export function QuestionList({ editing, openKey, onOpen }: QuestionListProps) {
  const { draft, change } = editing
  const [moved, setMoved] = useState('')
  const [newKey, setNewKey] = useState<string | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const focus = useFocusAfter(list)
  const problems = together(problemsOf(draft), refusalsOf(editing.error, draft))
  const move = (key: string, to: number) => {
    change((before) => moveQuestion(before, key, to))
    const question = draft.questions.find((one) => one.key === key)
    if (question) setMoved(`“${titleOf(question)}” is now question ${to + 1} of ${draft.questions.length}.`)
  }
  const step = (key: string, to: number, side: 'up' | 'down') => {
    move(key, to)
    const isAtEnd = to === 0 || to === draft.questions.length - 1
    const other = side === 'up' ? 'down' : 'up'
    focus(`[data-key="${CSS.escape(key)}"] [data-move="${isAtEnd ? other : side}"]`)
  }
  const add = (type: DraftQuestion['type']) => {
    const question = newQuestion(type, draft)
    change((before) => addQuestion(before, question))
    setNewKey(question.key)
    onOpen(question.key)
  }
  const remove = (question: DraftQuestion, index: number) => {
    change((before) => removeQuestion(before, question.key))
    if (openKey === question.key) onOpen(undefined)
    focus('.question-open, .add-question button')
    const action = { label: 'Undo', run: () => change((before) => addQuestion(before, question, index)) }
    toast({ look: 'info', text: `“${titleOf(question)}” is removed.`, action }, 10_000)
  }
  return (
    <div ref={list} className="question-list">
      <h2 className="sr">Questions</h2>
      {draft.questions.length === 0 && (
        <Empty icon="survey" title="What do you want to know?">
          Add the first question. One main question and one “Why?” are often enough.
        </Empty>
      )}
      <Suspense fallback={<Skeleton rows={Math.max(1, draft.questions.length)} height="3.5rem" />}>
        <DraggedList questions={draft.questions} onMove={move}>
          {({ question, index, handle }) => (
            <>
              <div className="question-head" data-key={question.key} data-bad={problems.has(question.key) || undefined}>
                {handle}
                <button
                  type="button"
                  className="question-open"
                  aria-expanded={question.key === openKey}
                  onClick={() => onOpen(question.key === openKey ? undefined : question.key)}
                >
                  <QuestionSummary question={question} number={index + 1} all={draft.questions} />
                  {problems.has(question.key) && (
                    <span className="tag bad">
                      <Icon name="warn" />
                      Error
                    </span>
                  )}
                </button>
                <MoveButtons index={index} count={draft.questions.length} onMove={(to, side) => step(question.key, to, side)} />
                <Menu trigger={<Icon name="dots" />} label={`Actions for question ${index + 1}`} className="icon-btn">
                  <MenuItem icon="copy" onSelect={() => change((before) => duplicateQuestion(before, question.key))}>
                    Duplicate
                  </MenuItem>
                  <MenuItem icon="trash" onSelect={() => remove(question, index)}>
                    Remove
                  </MenuItem>
                </Menu>
              </div>
              {question.key === openKey && (
                <QuestionEditor
                  question={question}
                  editing={editing}
                  problems={problems.get(question.key) ?? new Map()}
                  isNew={question.key === newKey}
                />
              )}
            </>
          )}
        </DraggedList>
      </Suspense>
      <p className="sr" role="status">
        {moved}
      </p>
      {draft.questions.length < MAX_QUESTIONS ? <AddQuestion onAdd={add} /> : <p className="soft">A survey has at most 100 questions.</p>}
    </div>
  )
}

function PlainList({ questions, children }: OrderedListProps) {
  return (
    <ol className="questions">
      {questions.map((question, index) => (
        <li key={question.key} className="question">
          {children({ question, index, handle: null })}
        </li>
      ))}
    </ol>
  )
}

interface MoveButtonsProps {
  index: number
  count: number
  onMove: (to: number, side: 'up' | 'down') => void
}

function MoveButtons({ index, count, onMove }: MoveButtonsProps) {
  return (
    <span className="question-moves">
      <IconButton
        icon="up"
        label={`Move question ${index + 1} up`}
        data-move="up"
        disabled={index === 0}
        onClick={() => onMove(index - 1, 'up')}
      />
      <IconButton
        icon="up"
        label={`Move question ${index + 1} down`}
        data-move="down"
        disabled={index === count - 1}
        onClick={() => onMove(index + 1, 'down')}
      />
    </span>
  )
}

function AddQuestion({ onAdd }: { onAdd: (type: DraftQuestion['type']) => void }) {
  const groups = [...new Set(typeOrder.map((type) => questionTypes[type].group))]
  return (
    <div className="add-question">
      <Menu
        className="btn"
        trigger={
          <>
            <Icon name="plus" />
            Add a question
          </>
        }
      >
        {groups.map((group) => (
          <div key={group}>
            <h3>{group}</h3>
            {typeOrder
              .filter((type) => questionTypes[type].group === group)
              .map((type) => (
                <MenuItem key={type} icon={questionTypes[type].icon} onSelect={() => onAdd(type)}>
                  {questionTypes[type].label}
                </MenuItem>
              ))}
          </div>
        ))}
      </Menu>
    </div>
  )
}

/** Returns a function that focuses what a selector finds after the next render: what is moved in the document loses the focus. */
function useFocusAfter(holder: React.RefObject<HTMLElement | null>): (selector: string) => void {
  const [wanted, setWanted] = useState<{ selector: string } | null>(null)
  useEffect(() => {
    if (wanted) holder.current?.querySelector<HTMLElement>(wanted.selector)?.focus()
  }, [wanted, holder])
  return (selector) => setWanted({ selector })
}
