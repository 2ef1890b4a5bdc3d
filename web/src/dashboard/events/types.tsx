import { Json } from '../ui/json.tsx'
import type { TypeDetails } from '../webhooks/records.ts'

/** All types of events: when each happens, and an example. */
export function TypesCatalogue({ types }: { types: readonly TypeDetails[] }) {
  return (
    <section aria-label="Types of events" className="stack">
      <p className="lead">
        The records in the examples do not exist. Ignore fields that your program does not know: later versions can add some.
      </p>
      <ul className="records">
        {types.map(({ type, description, example }) => (
          <li key={type}>
            <details className="type">
              <summary>
                <strong>{type}</strong>
                <span className="soft">{description}</span>
              </summary>
              <Json value={example} label={`Example of ${type}`} />
            </details>
          </li>
        ))}
      </ul>
    </section>
  )
}
