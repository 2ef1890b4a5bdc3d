import { closestCenter, DndContext, type DragEndEvent } from '@dnd-kit/core'
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queries } from '../api.ts'
import { useProjectRef } from '../shell/places.ts'
import { IconButton } from '../ui/button.tsx'
import { dragAnnouncements, useDragSensors } from '../ui/dragging.ts'
import { Empty } from '../ui/empty.tsx'
import { Face, pictureOf } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { nameInText, plainName } from '../ui/names.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { toastFailure } from '../ui/toasts.tsx'
import { type Placed, placesAfterMove } from './positions.ts'
import { StateTag } from './row.tsx'
import { featuredQuery, keepWords, type Testimonial } from './words.ts'

/** The featured testimonials, to be put in order by dragging, by keys or by buttons. */
export function Order({ canWrite }: { canWrite: boolean }) {
  const query = useQuery(featuredQuery(useProjectRef()))
  return (
    <section aria-labelledby="order-title">
      <h2 id="order-title" className="order-title">
        Order of the featured testimonials
      </h2>
      <p className="lead">Widgets that show featured testimonials first use this order, from the top.</p>
      <Loaded query={query} skeleton={<Skeleton rows={5} />}>
        {(testimonials) => {
          if (testimonials.length === 0)
            return (
              <Empty icon="star" title="Nothing is featured yet">
                Press the star of a testimonial to feature it. Then put the featured ones in order here.
              </Empty>
            )
          return <Sorted testimonials={testimonials} canWrite={canWrite} />
        }}
      </Loaded>
    </section>
  )
}

function Sorted({ testimonials, canWrite }: { testimonials: readonly Testimonial[]; canWrite: boolean }) {
  const ids = testimonials.map(({ id }) => id)
  const nameOf = (index: number) => nameInText(testimonials[index]?.author.name ?? '')
  const move = useMove(testimonials)
  const [said, setSaid] = useState('')
  const moveTo = (from: number, to: number) => {
    if (from < 0 || to < 0 || to >= testimonials.length || from === to) return false
    move(from, to)
    return true
  }
  const moveByButton = (from: number, to: number) => {
    if (moveTo(from, to)) setSaid(`${nameOf(from)} is now at place ${to + 1} of ${testimonials.length}.`)
  }
  const drop = ({ active, over }: DragEndEvent) => {
    if (over) moveTo(ids.indexOf(String(active.id)), ids.indexOf(String(over.id)))
  }
  return (
    <DndContext
      sensors={useDragSensors()}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{ announcements: dragAnnouncements(ids, nameOf) }}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy} disabled={!canWrite}>
        <ol className="tm-order">
          {testimonials.map((testimonial, index) => (
            <Place
              key={testimonial.id}
              testimonial={testimonial}
              place={index + 1}
              count={testimonials.length}
              onMove={canWrite ? (by) => moveByButton(index, index + by) : null}
            />
          ))}
        </ol>
      </SortableContext>
      <p className="sr" role="status">
        {said}
      </p>
    </DndContext>
  )
}

interface PlaceProps {
  testimonial: Testimonial
  place: number
  count: number
  onMove: ((by: 1 | -1) => void) | null
}

function Place({ testimonial, place, count, onMove }: PlaceProps) {
  const { author, excerpt, body, id } = testimonial
  const { setNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({ id })
  const style = { transform: transform ? `translate(0, ${transform.y}px)` : undefined, transition }
  return (
    <li ref={setNodeRef} className="order-place" style={style} data-dragging={isDragging || undefined}>
      {onMove && (
        <button
          type="button"
          className="icon-btn drag"
          {...attributes}
          {...listeners}
          aria-label={`Drag the words of ${nameInText(author.name)}`}
        >
          <Icon name="drag" />
        </button>
      )}
      <b>{place}</b>
      <Face name={author.name} picture={pictureOf(testimonial)} />
      <div className="words-text">
        <p className="words-who">
          <strong dir="auto">{plainName(author.name)}</strong> <StateTag words={testimonial} />
        </p>
        <p className="words-body" dir="auto">
          {excerpt ?? body}
        </p>
      </div>
      {onMove && (
        <span className="order-moves">
          <IconButton icon="up" label={`Move ${nameInText(author.name)} up`} aria-disabled={place === 1} onClick={() => onMove(-1)} />
          <IconButton
            icon="downwards"
            label={`Move ${nameInText(author.name)} down`}
            aria-disabled={place === count}
            onClick={() => onMove(1)}
          />
        </span>
      )}
    </li>
  )
}

/** Shows the new order at once and stores the positions that changed. */
function useMove(testimonials: readonly Testimonial[]): (from: number, to: number) => void {
  const ref = useProjectRef()
  const { queryKey } = featuredQuery(ref)
  const store = useMutation({
    // One after another: a move begins where the one before ended.
    scope: { id: 'order' },
    mutationFn: async (places: readonly Placed[]) => {
      for (const { testimonial, position } of places)
        keepWords(await api.testimonials.update({ ...ref, testimonial_id: testimonial.id, position }))
    },
    onError: async (error) => {
      toastFailure(error)
      await queries.invalidateQueries({ queryKey })
    },
  })
  return (from, to) => {
    const moved = testimonials[from]
    if (!moved) return
    const next = testimonials.toSpliced(from, 1).toSpliced(to, 0, moved)
    const places = placesAfterMove(next, to)
    const positions = new Map(places.map(({ testimonial: { id }, position }) => [id, position]))
    queries.setQueryData(
      queryKey,
      next.map((testimonial) => ({ ...testimonial, position: positions.get(testimonial.id) ?? testimonial.position })),
    )
    store.mutate(places)
  }
}
