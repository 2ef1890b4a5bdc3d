import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { type Filters, narrowing } from './filters.ts'

const TYPING_MS = 350
const ANY = ''
const STATES = [
  { value: ANY, label: 'Any state' },
  { value: 'approved', label: 'Approved' },
  { value: 'pending', label: 'Pending' },
  { value: 'rejected', label: 'Rejected' },
] as const
const RATINGS = [
  { value: ANY, label: 'Any rating' },
  { value: '5', label: '5 stars' },
  { value: '4', label: '4 stars or more' },
  { value: '3', label: '3 stars or more' },
]

/** Search and filters of the list. They stand in the address, so a link or a reload shows the same. */
export function FilterBar({ filters }: { filters: Filters }) {
  const navigate = useNavigate({ from: '/$team/$project/testimonials' })
  const narrow = (change: Partial<Filters>) =>
    void navigate({ search: (before) => ({ ...before, ...change, item: undefined }), replace: true })
  return (
    <search className="list-filters">
      <SearchField words={filters.q} onSearch={(q) => narrow({ q })} />
      <SelectField
        label="State"
        value={filters.state ?? ANY}
        options={STATES}
        onChange={({ target: { value } }) =>
          narrow({ state: STATES.map((state) => state.value).find((state) => state !== ANY && state === value) || undefined })
        }
      />
      <SelectField
        label="Rating"
        value={String(filters.min_rating ?? ANY)}
        options={RATINGS}
        onChange={({ target: { value } }) => narrow({ min_rating: value === ANY ? undefined : Number(value) })}
      />
      {filters.kind === undefined && (
        <CheckField
          label="Featured only"
          checked={filters.featured === true}
          onChange={({ target: { checked } }) => narrow({ featured: checked || undefined })}
        />
      )}
      {filters.tag !== undefined && (
        <Button look="quiet" icon="x" onClick={() => narrow({ tag: undefined })}>
          Tag: {filters.tag}
        </Button>
      )}
      {Object.keys(narrowing(filters)).length > 1 && (
        <Button look="quiet" onClick={() => void navigate({ search: filters.kind === undefined ? {} : { kind: filters.kind } })}>
          Clear the filters
        </Button>
      )}
    </search>
  )
}

/** Searches when the person pauses, and at once by Enter. */
function SearchField({ words = '', onSearch }: { words: string | undefined; onSearch: (words: string | undefined) => void }) {
  const [typed, setTyped] = useState(words)
  // The back button and "Clear the filters" change it, too.
  useEffect(() => setTyped(words), [words])
  const search = () => {
    if (typed.trim() !== words) onSearch(typed.trim() || undefined)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins anew with what is typed only
  useEffect(() => {
    const timer = setTimeout(search, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <TextField
      label="Search"
      type="search"
      placeholder="Words, names, companies"
      maxLength={200}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onKeyDown={({ key }) => key === 'Enter' && search()}
    />
  )
}
