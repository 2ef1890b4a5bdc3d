import type { ReactNode } from 'react'

/** Holds a table that may be wider than the window: it scrolls in itself, also by keyboard. */
export function TableHolder({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also by keyboard
    <section className="table-holder" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
