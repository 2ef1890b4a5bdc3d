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

/** Names the window, for tabs and the history. On a page that somebody went to, the heading gets the focus, which reads it out. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Earshot`
    arrive()
  }, [title])
}

/** Where the focus was put last. The browser itself begins at the top of the first page. */
let arrivedAt = location.pathname

function arrive(): void {
  if (location.pathname === arrivedAt) return
  arrivedAt = location.pathname
  const main = document.getElementById('main')
  const heading = main?.querySelector('h1')
  // A field that asked for the focus keeps it.
  if (!heading || (document.activeElement !== main && main?.contains(document.activeElement))) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
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
