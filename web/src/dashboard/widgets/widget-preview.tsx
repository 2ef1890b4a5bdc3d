import { sizes } from '@earshot/contracts/constants'
import { useQuery } from '@tanstack/react-query'
import { useProjectRef } from '../shell/places.ts'
import { Loaded } from '../ui/loaded.tsx'
import { useHasFeature } from '../ui/not-in-plan.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { isColor } from './contrast.ts'
import type { WidgetFields } from './fields.ts'
import { chosenItems, type Material, savedQuery, useMaterial } from './preview.ts'
import { Wall, type WallData } from './wall.tsx'

interface PreviewProps {
  fields: WidgetFields
  /** The widget, if its settings are stored as they are here: then it is what visitors get. */
  savedId: string | null
}

/** The widget as visitors see it, also with settings that are not saved yet. */
export function WidgetPreview({ fields, savedId }: PreviewProps) {
  const ref = useProjectRef()
  const saved = useQuery({ ...savedQuery(savedId ?? '', fields), enabled: savedId !== null })
  const hasBadge = !useHasFeature('widgets_without_badge')
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
          {(known) => (known === null ? <NoKey /> : <Look shown={shownOf(known, fields, hasBadge)} />)}
        </Loaded>
      ) : (
        <Loaded query={saved} skeleton={<Skeleton rows={2} height="10rem" />}>
          {(shown) => <Look shown={shown} />}
        </Loaded>
      )}
    </section>
  )
}

function NoKey() {
  return <p className="soft">The preview needs a public key. Save the widget to see it.</p>
}

function Look({ shown }: { shown: WallData }) {
  if (shown.layout !== 'badge' && shown.items.length === 0)
    return (
      <p className="soft">
        Nothing to show yet: no public words match these settings. Words are public once they are approved and the customer consents.
      </p>
    )
  return <Wall data={shown} />
}

/** What the service would answer for these settings. */
function shownOf(known: Material, fields: WidgetFields, hasBadge: boolean): WallData {
  const { layout, theme } = fields
  const items = chosenItems(known, fields).map((item) => {
    const body = Array.from(item.body)
    const truncated = body.length > sizes.widgetBodyCharacters
    return { ...item, truncated, body: truncated ? body.slice(0, sizes.widgetBodyCharacters).join('') : item.body }
  })
  // A colour that is not complete yet, the service refuses.
  const color = theme.color !== null && isColor(theme.color) ? theme.color : null
  return { items, aggregate: known.aggregate, layout, theme: { ...theme, color }, has_badge: hasBadge }
}
