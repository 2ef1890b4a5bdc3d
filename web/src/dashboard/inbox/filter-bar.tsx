import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { useProject, useTeam } from '../shell/places.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Filters, isNarrowed, readFilters } from './filters.ts'
import { TagNames } from './tag-names.tsx'
import { channelText, kindText } from './texts.ts'

/** Where the key `/` puts the focus. */
export const SEARCH_FIELD = 'search-field'
const SEARCH_MS = 300
const ANY = { value: '', label: 'Any' }
const KINDS = [ANY, ...Object.entries(kindText).map(([value, label]) => ({ value, label }))]
const CHANNELS = [ANY, ...Object.entries(channelText).map(([value, label]) => ({ value, label }))]
const RATINGS = [ANY, ...[5, 4, 3, 2].map((stars) => ({ value: String(stars), label: `${stars} stars${stars === 5 ? '' : ' or more'}` }))]

/** Search and filters. They stand in the address, so a link shows the same list. */
export function FilterBar({ filters }: { filters: Filters }) {
  const navigate = useNavigate({ from: '/$team/$project/inbox' })
  const [isOpen, setIsOpen] = useState(false)
  const change = (changed: Record<string, unknown>) =>
    void navigate({ search: ({ item: _item, ...before }) => readFilters({ ...before, ...changed }), replace: true })
  return (
    <search className="filter-bar">
      <SearchField q={filters.q ?? ''} onSearch={(q) => change({ q })} />
      <IconButton
        icon="filter"
        label={isOpen ? 'Hide the filters' : 'Show the filters'}
        aria-expanded={isOpen}
        data-on={hasFilters(filters) || undefined}
        onClick={() => setIsOpen(!isOpen)}
      />
      {isOpen && (
        <div className="filters">
          <SelectField label="Kind" options={KINDS} value={filters.kind ?? ''} onChange={({ target }) => change({ kind: target.value })} />
          <SelectField
            label="Channel"
            options={CHANNELS}
            value={filters.channel ?? ''}
            onChange={({ target }) => change({ channel: target.value })}
          />
          <SelectField
            label="Rating"
            options={RATINGS}
            value={String(filters.min_rating ?? '')}
            onChange={({ target }) => change({ min_rating: target.value })}
          />
          <TagFilter tag={filters.tag ?? ''} onChange={(tag) => change({ tag })} />
          <TagsLink />
          {isNarrowed(filters) && <Button onClick={() => change({ q: '', kind: '', channel: '', min_rating: '', tag: '' })}>Clear</Button>}
        </div>
      )}
    </search>
  )
}

/** A tag, from those that there are. */
function TagFilter({ tag, onChange }: { tag: string; onChange: (tag: string) => void }) {
  const listId = useId()
  return (
    <div>
      <TextField label="Tag" list={listId} autoComplete="off" value={tag} onChange={({ target }) => onChange(target.value)} />
      <TagNames id={listId} isUsed />
    </div>
  )
}

/** To the page of all tags. */
function TagsLink() {
  const { slug: team } = useTeam()
  const { slug: project } = useProject()
  return (
    <Link className="soft" to="/$team/$project/tags" params={{ team, project }}>
      Manage tags
    </Link>
  )
}

function hasFilters({ q: _q, ...filters }: Filters): boolean {
  return isNarrowed(filters)
}

/** Asks once somebody stops typing. */
function SearchField({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])
  useEffect(() => {
    if (text === q) return
    const timer = setTimeout(() => onSearch(text), SEARCH_MS)
    return () => clearTimeout(timer)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text)
  }
  return (
    <form className="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        id={SEARCH_FIELD}
        type="search"
        aria-label="Search words and people"
        placeholder="Search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </form>
  )
}
