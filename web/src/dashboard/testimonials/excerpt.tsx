import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Marked } from '../ui/marked.tsx'
import { nameInText } from '../ui/names.ts'
import { useChange } from './use-change.ts'
import type { Testimonial } from './words.ts'

const SHOWN_CHARACTERS = 80
/** Arrow keys select in the words as in a text field. */
const DIRECTIONS: Readonly<Record<string, readonly [direction: string, granularity: string]>> = {
  ArrowRight: ['right', 'character'],
  ArrowLeft: ['left', 'character'],
  ArrowDown: ['forward', 'line'],
  ArrowUp: ['backward', 'line'],
  End: ['forward', 'lineboundary'],
  Home: ['backward', 'lineboundary'],
}

/** The words of a testimonial. Select a part, by mouse or by Shift and the arrow keys, to highlight it for visitors. */
export function ExcerptWords({ testimonial }: { testimonial: Testimonial }) {
  const { body, excerpt, author } = testimonial
  const words = useRef<HTMLDivElement>(null)
  const part = useSelectedPart(words)
  const change = useChange()
  const set = (chosen: string | null) => {
    getSelection()?.removeAllRanges()
    change.mutate({ before: testimonial, change: { excerpt: chosen } })
  }
  return (
    <div className="tm-excerpt">
      {/* biome-ignore lint/a11y/useSemanticElements: a text area cannot mark a part */}
      <div
        ref={words}
        className="words-whole"
        dir="auto"
        role="textbox"
        aria-readonly="true"
        aria-multiline="true"
        aria-label={`Words of ${nameInText(author.name)}`}
        aria-describedby="excerpt-hint"
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && part !== null) set(part)
          else select(event)
        }}
      >
        <Marked body={body} excerpt={excerpt} />
      </div>
      <div className="excerpt-bar" data-part={part !== null || undefined}>
        <p id="excerpt-hint">{hintOf(part, excerpt)}</p>
        {part !== null && (
          // Pressing a button would end the selection.
          <Button look="primary" icon="quote" onMouseDown={(event) => event.preventDefault()} onClick={() => set(part)}>
            Use as excerpt
          </Button>
        )}
        {part === null && excerpt !== null && (
          <Button icon="x" onClick={() => set(null)}>
            Remove the excerpt
          </Button>
        )}
      </div>
    </div>
  )
}

function hintOf(part: string | null, excerpt: string | null): string {
  if (part !== null) return `“${part.length > SHOWN_CHARACTERS ? `${part.slice(0, SHOWN_CHARACTERS)}…` : part}”`
  return excerpt === null
    ? 'Select the best part with the mouse, or with Shift and the arrow keys. Visitors see it highlighted.'
    : 'Visitors see the marked part highlighted. Select another part to change it.'
}

function useSelectedPart(words: React.RefObject<HTMLElement | null>): string | null {
  const [part, setPart] = useState<string | null>(null)
  useEffect(() => {
    const read = () => setPart(selectedPart(words.current))
    document.addEventListener('selectionchange', read)
    return () => document.removeEventListener('selectionchange', read)
  }, [words])
  return part
}

/** The selected text as far as it is in the words, without space around: always a verbatim part of them. */
function selectedPart(words: HTMLElement | null): string | null {
  const selection = getSelection()
  if (words === null || selection === null || selection.rangeCount === 0 || selection.isCollapsed) return null
  const selected = selection.getRangeAt(0)
  // A triple press selects up to the beginning of the next element.
  if (!selected.intersectsNode(words)) return null
  const own = document.createRange()
  own.selectNodeContents(words)
  if (selected.compareBoundaryPoints(Range.START_TO_START, own) > 0) own.setStart(selected.startContainer, selected.startOffset)
  if (selected.compareBoundaryPoints(Range.END_TO_END, own) < 0) own.setEnd(selected.endContainer, selected.endOffset)
  return own.toString().trim() || null
}

function select(event: KeyboardEvent<HTMLElement>): void {
  const selection = getSelection()
  const words = event.currentTarget
  if (selection === null) return
  if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    selection.selectAllChildren(words)
    return
  }
  const [direction, granularity] = DIRECTIONS[event.key] ?? []
  if (direction === undefined) return
  event.preventDefault()
  if (!words.contains(selection.anchorNode)) selection.collapse(words, 0)
  const isByWord = granularity === 'character' && (event.ctrlKey || event.altKey)
  selection.modify(event.shiftKey ? 'extend' : 'move', direction, isByWord ? 'word' : granularity)
}
