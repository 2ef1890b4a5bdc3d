import { useQuery } from '@tanstack/react-query'
import { api, onThisOrigin } from '../api.ts'
import { useProject, useProjectRef } from '../shell/places.ts'
import { Loaded } from '../ui/loaded.tsx'
import { QuoteCard } from '../ui/quote-card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Stars } from '../ui/stars.tsx'
import type { WidgetFields } from './fields.ts'
import { chosenItems, type ShownItem, useMaterial } from './preview.ts'

interface PreviewProps {
  fields: WidgetFields
  /** The widget, if its settings are stored as they are here: then it is what visitors get. */
  savedId: string | null
}

interface Shown {
  items: readonly ShownItem[]
  aggregate: { count: number; average_rating: number | null }
}

/** The widget as visitors see it, also with settings that are not saved yet. */
export function WidgetPreview({ fields, savedId }: PreviewProps) {
  const ref = useProjectRef()
  const saved = useQuery({
    queryKey: ['public-widget', savedId, fields],
    queryFn: () => api.public.widgets.retrieve({ widget_id: savedId ?? '' }),
    enabled: savedId !== null,
  })
  const material = useMaterial(ref, fields, savedId === null)
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long preview scrolls, also by keyboard
      tabIndex={0}
      className="widget-preview"
      aria-label="Preview"
      data-theme={fields.theme.mode === 'auto' ? undefined : fields.theme.mode}
    >
      {savedId === null ? (
        <Loaded query={material} skeleton={<Skeleton rows={2} height="10rem" />}>
          {(known) =>
            known === null ? <NoKey /> : <Look fields={fields} shown={{ items: chosenItems(known, fields), aggregate: known.aggregate }} />
          }
        </Loaded>
      ) : (
        <Loaded query={saved} skeleton={<Skeleton rows={2} height="10rem" />}>
          {(shown) => <Look fields={fields} shown={shown} />}
        </Loaded>
      )}
    </section>
  )
}

function NoKey() {
  return <p className="soft">The preview needs a public key. Save the widget to see it.</p>
}

function Look({ fields: { layout, theme }, shown: { items, aggregate } }: { fields: WidgetFields; shown: Shown }) {
  const project = useProject()
  const color = theme.color ?? project.theme.color
  const style = color === null ? undefined : { '--brand': color }
  if (layout === 'badge')
    return (
      <div className="branded" style={style}>
        <Badge aggregate={aggregate} />
      </div>
    )
  if (items.length === 0)
    return (
      <p className="soft">
        Nothing to show yet: no public words match these settings. Words are public once they are approved and the customer consents.
      </p>
    )
  return (
    <ul
      className={`branded look-${layout}`}
      style={style}
      tabIndex={layout === 'carousel' ? 0 : undefined}
      aria-label="Words that it shows"
    >
      {items.map((item) => (
        <li key={item.id}>
          <QuoteCard
            quote={{
              ...item,
              picture: item.author.avatar_url && onThisOrigin(item.author.avatar_url),
              posterUrl: item.video && onThisOrigin(item.video.poster_url),
            }}
          />
        </li>
      ))}
    </ul>
  )
}

function Badge({ aggregate: { count, average_rating } }: { aggregate: Shown['aggregate'] }) {
  return (
    <p className="look-badge">
      {average_rating !== null && (
        <>
          <Stars rating={Math.round(average_rating)} />
          <strong>{average_rating.toFixed(1)}</strong>
        </>
      )}
      <span>{count === 1 ? '1 review' : `${count.toLocaleString('en')} reviews`}</span>
    </p>
  )
}
