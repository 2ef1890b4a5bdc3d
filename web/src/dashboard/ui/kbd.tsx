/** A key, as decoration: screen readers learn shortcuts from the list of them. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className="kbd" aria-hidden="true">
      {children}
    </span>
  )
}
