import { type Active, type Announcements, KeyboardSensor, type Over, PointerSensor, useSensor, useSensors } from '@dnd-kit/core'
import { sortableKeyboardCoordinates } from '@dnd-kit/sortable'

/** A press becomes a drag after so many pixels. */
const DRAG_FROM_PX = 6

/** Dragging the items of a list with the pointer, or with Space and the arrow keys. */
export function useDragSensors() {
  return useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: DRAG_FROM_PX } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates, scrollBehavior: 'auto' }),
  )
}

/** What a screen reader says while an item of a list is dragged: names and places instead of the library's ids. */
export function dragAnnouncements(ids: readonly string[], nameOf: (index: number) => string): Announcements {
  const name = ({ id }: Active) => nameOf(ids.indexOf(String(id)))
  const place = ({ id }: Over) => `place ${ids.indexOf(String(id)) + 1} of ${ids.length}`
  return {
    onDragStart: ({ active }) => `${name(active)} is picked up.`,
    onDragOver: ({ active, over }) => (over ? `${name(active)} is over ${place(over)}.` : undefined),
    onDragEnd: ({ active, over }) => (over ? `${name(active)} is dropped at ${place(over)}.` : `${name(active)} stays where it was.`),
    onDragCancel: ({ active }) => `${name(active)} stays where it was.`,
  }
}
