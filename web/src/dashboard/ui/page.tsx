import { type ReactNode, useEffect } from 'react'

interface PageProps {
  title: string
  /** One sentence on what the page is for. */
  lead?: ReactNode
  /** A `BackLink` to the list, above the title. */
  back?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
  /** `wide` for tables. */
  width?: 'normal' | 'wide'
}

/** A page of the dashboard with its heading; the window gets its title. */
export function Page({ title, lead, back, actions, children, width = 'normal' }: PageProps) {
  useTitle(title)
  return (
    <main className={`page ${width}`} id="main" tabIndex={-1}>
      <header className="page-head">
        <div>
          {back}
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

/** Names the window, for tabs and the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Earshot`
  }, [title])
}

/** A part of a page with a heading. */
export function Section({ title, lead, actions, children }: { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="section">
      <header className="section-head">
        <div>
          <h2>{title}</h2>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
