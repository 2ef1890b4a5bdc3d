import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { Kbd } from './kbd.tsx'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` is the one main action of a page or dialog; `danger` destroys; `quiet` has no border. */
  look?: 'plain' | 'primary' | 'danger' | 'quiet'
  icon?: IconName
  /** The key that does the same. */
  shortcut?: string
  /** The action runs. The button stays focusable, and further presses do nothing. */
  isBusy?: boolean
  children: ReactNode
}

export function Button({ look = 'plain', icon, shortcut, isBusy = false, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`btn ${look}`}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || rest['aria-disabled'] || undefined}
      onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName
  /** Read out, and shown as a tooltip. */
  label: string
}

export function IconButton({ icon, label, ...rest }: IconButtonProps) {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className="icon-btn">
      <Icon name={icon} />
    </button>
  )
}
