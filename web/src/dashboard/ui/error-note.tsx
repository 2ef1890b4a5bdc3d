import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { explain } from './error-text.ts'
import { Icon } from './icon.tsx'

/** A failure in words, beside what failed. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { what, help, requestId } = explain(error)
  return (
    <div className="note bad" role="alert">
      <Icon name="warn" />
      <div>
        <p>
          <strong>{what}</strong> {help}
        </p>
        {requestId && (
          <p className="soft">
            Request <code>{requestId}</code>
          </p>
        )}
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  )
}

/** A hint or a result that stays on the page. */
export function Note({ look = 'info', children }: { look?: 'info' | 'good' | 'warn'; children: ReactNode }) {
  const icon = { info: 'info', good: 'check', warn: 'warn' } as const
  return (
    <div className={`note ${look}`} role="status">
      <Icon name={icon[look]} />
      <div>{children}</div>
    </div>
  )
}
