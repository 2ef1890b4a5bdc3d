import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { IconButton } from './button.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** `wide` for tables and code. */
  size?: 'normal' | 'wide'
  /** It cannot be closed without an action in it. */
  isFixed?: boolean
}

/** A modal dialog. The browser keeps the focus in it and gives it back. Mount it to open it. */
export function Dialog({ title, onClose, children, size = 'normal', isFixed = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // Closed while it is still on the page: the browser gives back no focus for what is gone.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // The browser would choose the button that closes the dialog.
    shown?.querySelector<HTMLElement>('input, textarea, select, footer .btn')?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`dialog ${size}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // A file picker in the dialog sends its own, too.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        if (!isFixed) onClose()
      }}
      onClose={({ target, currentTarget }) => {
        // Pressed twice, Escape closes any dialog.
        if (target !== currentTarget) return
        if (isFixed) currentTarget.showModal()
        else onClose()
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        {!isFixed && <IconButton icon="x" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  )
}
