import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  icon: IconName
  title: string
  /** What belongs here, and what to do next. */
  children: ReactNode
  actions?: ReactNode
}

/** An empty list says what belongs there and what to do next. */
export function Empty({ icon, title, children, actions }: EmptyProps) {
  return (
    <div className="empty">
      <span className="badge">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {actions && <div className="actions">{actions}</div>}
    </div>
  )
}
