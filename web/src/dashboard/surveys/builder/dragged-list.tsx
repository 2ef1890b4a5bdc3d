import { closestCenter, DndContext, type DragEndEvent } from '@dnd-kit/core'
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { dragAnnouncements, useDragSensors } from '../../ui/dragging.ts'
import { Icon } from '../../ui/icon.tsx'
import { titleOf } from './conditions.ts'
import type { OrderedListProps, Place } from './ordered-list.ts'

/** The list of questions with handles to drag them by, with the pointer or with Space and the arrow keys. */
export function DraggedList({ questions, onMove, children }: OrderedListProps) {
  const keys = questions.map(({ key }) => key)
  const nameOf = (index: number) => {
    const question = questions[index]
    return question ? `“${titleOf(question)}”` : 'The question'
  }
  const drop = ({ active, over }: DragEndEvent) => {
    const to = keys.indexOf(String(over?.id))
    if (over && active.id !== over.id && to >= 0) onMove(String(active.id), to)
  }
  return (
    <DndContext
      sensors={useDragSensors()}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{ announcements: dragAnnouncements(keys, nameOf) }}
    >
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        <ol className="questions">
          {questions.map((question, index) => (
            <DraggedQuestion key={question.key} question={question} index={index}>
              {children}
            </DraggedQuestion>
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  )
}

function DraggedQuestion({ question, index, children }: Omit<Place, 'handle'> & Pick<OrderedListProps, 'children'>) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({ id: question.key })
  const style = { transform: transform ? `translate(0, ${Math.round(transform.y)}px)` : undefined, transition }
  const handle = (
    <button
      ref={setActivatorNodeRef}
      type="button"
      className="question-handle"
      aria-label={`Drag question ${index + 1}`}
      {...attributes}
      {...listeners}
    >
      <Icon name="drag" />
    </button>
  )
  return (
    <li ref={setNodeRef} className="question" style={style} data-dragging={isDragging || undefined}>
      {children({ question, index, handle })}
    </li>
  )
}
