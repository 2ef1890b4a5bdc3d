import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type RefObject, startTransition, useCallback, useEffect, useRef, useState } from 'react'
import type { Submission } from '../api.ts'
import { serviceNow } from '../clock.ts'
import { Face, pictureOf } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { plainName } from '../ui/names.ts'
import { Stars } from '../ui/stars.tsx'
import { Ago } from '../ui/time.tsx'
import { channelText } from './texts.ts'
import { useActiveInSight, useSteadyScroll } from './use-steady-scroll.ts'

/** It has the focus while keys move, so that screen readers say what is read. */
export const LIST = 'submission-list'
const ROW_PX = 102
/** Rows above and below those in sight. */
const OVERSCAN = 6
/** The next page is asked for before its rows are reached. */
const AHEAD = 30
/** A row shows two lines of a text. */
const SHOWN_CHARACTERS = 300

interface ListProps {
  label: string
  items: readonly Submission[]
  activeId: string | null
  picked: ReadonlySet<string>
  /** The tag that the list is narrowed to. */
  tag: string | undefined
  onOpen: (id: string) => void
  /** With shift, all from the last picked one. */
  onPick: (id: string, isRange: boolean) => void
  onNearEnd: () => void
}

/** The list of submissions. However long it is, only the rows in sight are in the document. */
export function List({ label, items, activeId, picked, tag, onOpen, onPick, onNearEnd }: ListProps) {
  const holder = useRef<HTMLDivElement>(null)
  const rows = useRows(holder, items)
  useSteadyScroll(holder, rows, items)
  const activeIndex = items.findIndex(({ id }) => id === activeId)
  useActiveInSight(rows, activeIndex, activeId)
  const minute = Math.floor(serviceNow() / 60_000)
  const shown = rows.getVirtualItems()
  const lastIndex = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastIndex >= items.length - AHEAD) onNearEnd()
  }, [lastIndex, items.length, onNearEnd])
  return (
    <div
      ref={holder}
      id={LIST}
      className="rows"
      role="listbox"
      aria-multiselectable="true"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={activeIndex < 0 ? undefined : rowId(activeId)}
    >
      <div role="presentation" style={{ blockSize: rows.getTotalSize(), position: 'relative' }}>
        {shown.map(({ index, start }) => {
          const item = items[index]
          return (
            item && (
              <div
                key={item.id}
                ref={rows.measureElement}
                data-index={index}
                role="presentation"
                className="row-place"
                style={{ transform: `translateY(${start}px)` }}
              >
                <Row
                  item={item}
                  index={index}
                  count={items.length}
                  minute={minute}
                  isActive={index === activeIndex}
                  isPicked={picked.has(item.id)}
                  hasLeft={tag !== undefined && !item.tags.includes(tag)}
                  onOpen={onOpen}
                  onPick={onPick}
                />
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}

function useRows(holder: RefObject<HTMLDivElement | null>, items: readonly Submission[]) {
  // The first frame has only the rows in sight, so that it comes sooner.
  const [overscan, setOverscan] = useState(0)
  useEffect(() => startTransition(() => setOverscan(OVERSCAN)), [])
  // With a new function, the places of all rows would be computed again.
  const getItemKey = useCallback((index: number) => items[index]?.id ?? index, [items])
  return useVirtualizer({
    count: items.length,
    getScrollElement: () => holder.current,
    estimateSize: () => ROW_PX,
    getItemKey,
    overscan,
    // Until the place is measured: the first rows come with the first frame.
    initialRect: { width: innerWidth, height: innerHeight },
  })
}

interface RowProps extends Pick<ListProps, 'onOpen' | 'onPick'> {
  item: Submission
  index: number
  /** Of all rows. */
  count: number
  /** The current minute: a row is rendered again when its age may have changed. */
  minute: number
  isActive: boolean
  isPicked: boolean
  /** It has lost the tag of the list, and stays until the list is read anew. */
  hasLeft: boolean
}

/** Keys are handled by the inbox, whatever has the focus. Only rows whose properties change are rendered again. */
const Row = memo(function Row({ item, index, count, isActive, isPicked, hasLeft, onOpen, onPick }: RowProps) {
  const { id, author, title, body, rating, channel, kind, created_at } = item
  const open = (isRange: boolean, isPick: boolean) => (isRange || isPick ? onPick(id, isRange) : onOpen(id))
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox has the focus, and the inbox handles its keys
    <div
      id={rowId(id)}
      className={isPicked ? 'row-item picked' : 'row-item'}
      role="option"
      tabIndex={-1}
      aria-selected={isPicked}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-active={isActive || undefined}
      onClick={({ shiftKey, metaKey, ctrlKey }) => open(shiftKey, metaKey || ctrlKey)}
    >
      {isPicked ? (
        <span className="face">
          <Icon name="check" />
        </span>
      ) : (
        <Face name={author.name} picture={pictureOf(item)} />
      )}
      <strong>
        <bdi>{plainName(author.name)}</bdi>
        {author.company && (
          <span>
            {' · '}
            <bdi>{author.company}</bdi>
          </span>
        )}
      </strong>
      <Ago at={created_at} isBare />
      <p dir="auto">{[title, body].filter(Boolean).join('. ').slice(0, SHOWN_CHARACTERS)}</p>
      <span className="meta">
        {rating !== null && <Stars rating={rating} />}
        {kind === 'video' && (
          <span className="kind">
            <Icon name="video" /> Video
          </span>
        )}
        <span>{channelText[channel]}</span>
        {hasLeft && <span>Tag removed</span>}
      </span>
    </div>
  )
})

function rowId(id: string | null): string {
  return `submission-${id}`
}
