import { lazy, Suspense, useEffect } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Kbd } from '../ui/kbd.tsx'

const load = () => import('./palette.tsx')
// It is loaded when it is opened for the first time, or somebody is about to.
const Palette = lazy(async () => ({ default: (await load()).Palette }))
const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

/** Opens the command palette. `isSmall` shows only an icon. */
export function PaletteButton({ onOpen, isSmall = false }: { onOpen: () => void; isSmall?: boolean }) {
  const handlers = { onPointerEnter: () => void load(), onFocus: () => void load(), onClick: onOpen }
  if (isSmall) return <IconButton icon="search" label="Search and commands" {...handlers} />
  return (
    <button type="button" className="palette-button" aria-keyshortcuts="Control+K Meta+K" {...handlers}>
      <Icon name="search" />
      <span>Search</span>
      <Kbd>{isApple ? '⌘K' : 'Ctrl K'}</Kbd>
    </button>
  )
}

interface CommandPaletteProps {
  isOpen: boolean
  setOpen: (change: boolean | ((before: boolean) => boolean)) => void
}

/** The command palette over any page of a team. Ctrl+K or ⌘K opens and closes it. */
export function CommandPalette({ isOpen, setOpen }: CommandPaletteProps) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey) return
      event.preventDefault()
      // A dialog that asks something is answered first.
      if (document.querySelector('dialog[open]:not(.palette)') === null) setOpen((before) => !before)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [setOpen])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  )
}
