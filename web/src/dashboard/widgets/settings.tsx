import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { contrastHint, isColor } from './contrast.ts'
import { KINDS, LAYOUTS, MODES, ORDERS, type WidgetFields } from './fields.ts'

const MAX_ITEMS = 50
const RATINGS = [
  { value: '', label: 'Any rating' },
  ...[5, 4, 3, 2].map((stars) => ({ value: String(stars), label: stars === 5 ? '5 stars' : `${stars} stars or more` })),
]
const DEFAULT_COLOR = '#3366ff'

interface SettingsProps {
  fields: WidgetFields
  change: (changed: Partial<WidgetFields>) => void
  errors: ReadonlyMap<string, string>
}

/** The fields of a widget. */
export function WidgetSettings(props: SettingsProps) {
  const { fields, change, errors } = props
  return (
    <>
      <TextField
        label="Name"
        hint="For your team, such as “Home page”."
        value={fields.name}
        maxLength={200}
        required
        onChange={({ target }) => change({ name: target.value })}
        error={errors.get('name')}
      />
      <SelectField
        label="Layout"
        hint={LAYOUTS.find(({ value }) => value === fields.layout)?.hint}
        options={LAYOUTS}
        value={fields.layout}
        onChange={({ target }) => change({ layout: pick(LAYOUTS, target.value, fields.layout) })}
        error={errors.get('layout')}
      />
      {fields.layout !== 'badge' && <Choice {...props} />}
      <Theme {...props} />
    </>
  )
}

function Choice({ fields: { order, max_items, filter }, change, errors }: SettingsProps) {
  const narrow = (changed: Partial<WidgetFields['filter']>) => change({ filter: { ...filter, ...changed } })
  return (
    <>
      <SelectField
        label="Order"
        options={ORDERS}
        value={order}
        onChange={({ target }) => change({ order: pick(ORDERS, target.value, order) })}
        error={errors.get('order')}
      />
      <TextField
        label="At most"
        type="number"
        min={1}
        max={MAX_ITEMS}
        required
        value={max_items || ''}
        hint={`Words to show, 1 to ${MAX_ITEMS}.`}
        onChange={({ target }) => change({ max_items: target.valueAsNumber || 0 })}
        error={errors.get('max_items')}
      />
      <SelectField
        label="Rating"
        options={RATINGS}
        value={String(filter.min_rating ?? '')}
        onChange={({ target }) => narrow({ min_rating: target.value === '' ? null : Number(target.value) })}
        error={errors.get('filter.min_rating')}
      />
      <TextField
        label="Tags"
        hint="Separated by commas. Empty for all."
        defaultValue={filter.tags.join(', ')}
        onChange={({ target }) =>
          narrow({
            tags: [
              ...new Set(
                target.value
                  .split(',')
                  .map((tag) => tag.trim())
                  .filter(Boolean),
              ),
            ],
          })
        }
        error={[...errors].find(([field]) => field.startsWith('filter.tags'))?.[1]}
      />
      <fieldset className="stack">
        <legend>Kinds</legend>
        {KINDS.map(({ value, label }) => (
          <CheckField
            key={value}
            label={label}
            checked={filter.kinds.length === 0 || filter.kinds.includes(value)}
            onChange={({ target }) => narrow({ kinds: toggled(filter.kinds, value, target.checked) })}
          />
        ))}
      </fieldset>
    </>
  )
}

type Kind = (typeof KINDS)[number]['value']

/** No kind and every kind are the same: all. */
function toggled(kinds: readonly Kind[], kind: Kind, isChecked: boolean): Kind[] {
  const all = KINDS.map(({ value }) => value)
  const before = kinds.length === 0 ? all : kinds
  const after = all.filter((one) => (one === kind ? isChecked : before.includes(one)))
  return after.length === all.length ? [] : after
}

function Theme({ fields: { theme }, change, errors }: SettingsProps) {
  const set = (changed: Partial<WidgetFields['theme']>) => change({ theme: { ...theme, ...changed } })
  const color = theme.color ?? ''
  return (
    <>
      <SelectField
        label="Colours"
        options={MODES}
        value={theme.mode}
        onChange={({ target }) => set({ mode: pick(MODES, target.value, theme.mode) })}
        error={errors.get('theme.mode')}
      />
      <CheckField
        label="An accent colour of its own"
        hint="Without one, links and featured words are blue."
        checked={theme.color !== null}
        onChange={({ target }) => set({ color: target.checked ? DEFAULT_COLOR : null })}
      />
      {theme.color !== null && (
        <div className="color-pair">
          <input
            type="color"
            aria-label="Pick the accent colour"
            value={isColor(color) ? color : DEFAULT_COLOR}
            onChange={({ target }) => set({ color: target.value })}
          />
          <TextField
            label="Accent colour"
            placeholder={DEFAULT_COLOR}
            value={color}
            hint={contrastHint(color) ?? 'Text in this colour reads well on light and dark.'}
            onChange={({ target }) => set({ color: target.value.trim() })}
            error={errors.get('theme.color')}
          />
        </div>
      )}
    </>
  )
}

/** The option with this value. */
function pick<Value extends string>(options: readonly { value: Value }[], value: string, before: Value): Value {
  return options.find((option) => option.value === value)?.value ?? before
}
