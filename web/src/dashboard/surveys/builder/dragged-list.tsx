import { closestCenter, DndContext, type DragEndEvent, KeyboardSensor, PointerSensor, useSensor, useSensors } from '@dnd-kit/core'
import { SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { Icon } from '../../ui/icon.tsx'
import { titleOf } from './conditions.ts'
import type { OrderedListProps, Place } from './ordered-list.ts'

/** A press becomes a drag after so many pixels. */
const DRAG_DISTANCE = 4

/** The list of questions with handles to drag them by, with the pointer or with Space and the arrow keys. */
export function DraggedList({ questions, onMove, children }: OrderedListProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: DRAG_DISTANCE } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const drop = ({ active, over }: DragEndEvent) => {
    const to = questions.findIndex(({ key }) => key === over?.id)
    if (over && active.id !== over.id && to >= 0) onMove(String(active.id), to)
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{ announcements: announcementsOf(questions) }}
    >
      <SortableContext items={questions.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
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

function announcementsOf(questions: OrderedListProps['questions']) {
  const name = (id: string | number) => {
    const question = questions.find(({ key }) => key === id)
    return question ? `“${titleOf(question)}”` : 'The question'
  }
  const place = (id: string | number) => `${questions.findIndex(({ key }) => key === id) + 1} of ${questions.length}`
  return {
    onDragStart: ({ active }: Pick<DragEndEvent, 'active'>) => `${name(active.id)} is picked up.`,
    onDragOver: ({ active, over }: DragEndEvent) => (over ? `${name(active.id)} is over place ${place(over.id)}.` : undefined),
    onDragEnd: ({ active, over }: DragEndEvent) => (over ? `${name(active.id)} is dropped at place ${place(over.id)}.` : undefined),
    onDragCancel: ({ active }: Pick<DragEndEvent, 'active'>) => `${name(active.id)} stays where it was.`,
  }
}
