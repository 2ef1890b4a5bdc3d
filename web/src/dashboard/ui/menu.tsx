import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface MenuProps {
  /** What the button shows. */
  trigger: ReactNode
  /** Read out, when the button shows no text. */
  label?: string
  className?: string
  children: ReactNode
}

/** A button that opens a list of actions. The browser closes it by Escape and by a press elsewhere (Popover API). */
export function Menu({ trigger, label, className = 'btn quiet', children }: MenuProps) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  return (
    <span className="menu-holder">
      <button type="button" className={className} popoverTarget={id} aria-haspopup="menu" aria-label={label} title={label}>
        {trigger}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        className="menu"
        tabIndex={-1}
        onToggle={(event) => event.newState === 'open' && itemsOf(menu.current)[0]?.focus()}
        onKeyDown={(event) => moveFocus(event, menu.current)}
        onClick={() => menu.current?.hidePopover()}
      >
        {children}
      </div>
    </span>
  )
}

/** One action of a menu. */
export function MenuItem({ icon, onSelect, children }: { icon?: IconName; onSelect: () => void; children: ReactNode }) {
  return (
    <button type="button" role="menuitem" className="menu-item" onClick={onSelect}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

function itemsOf(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
}

/** Arrow keys, Home and End (WAI-ARIA Authoring Practices, "Menu Button"). */
function moveFocus(event: KeyboardEvent, menu: HTMLElement | null): void {
  const items = itemsOf(menu)
  const at = items.findIndex((item) => item.matches(':focus'))
  const next = { ArrowDown: (at + 1) % items.length, ArrowUp: (at - 1 + items.length) % items.length, Home: 0, End: items.length - 1 }[
    event.key
  ]
  if (next === undefined) return
  event.preventDefault()
  items[next]?.focus()
}
