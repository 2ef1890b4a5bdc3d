import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Submission } from '../api.ts'
import { countsQuery, useProject, useTeam } from '../shell/places.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { countText } from '../ui/numbers.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type Filters, isNarrowed } from './filters.ts'
import { List } from './list.tsx'
import { LiveSign } from './live-sign.tsx'
import { NotSent } from './not-sent.tsx'
import type { Queue } from './queue.ts'
import { stateText } from './texts.ts'
import type { Active } from './use-active.ts'
import { useCounts } from './use-counts.ts'
import type { Picked } from './use-picked.ts'

const STATES: readonly Submission['state'][] = ['pending', 'approved', 'rejected']

interface ListPaneProps {
  filters: Filters
  queue: Queue
  active: Active
  picked: Picked
  onHelp: () => void
  /** Opens the tags of the selected ones; null for those who may not. */
  onTags: (() => void) | null
}

/** The list with its tabs, search and keys. */
export function ListPane({ filters, queue, active, picked, onHelp, onTags }: ListPaneProps) {
  const { state = 'pending' } = filters
  return (
    <section className="list" aria-label="Submissions">
      <header>
        <span className="list-title" aria-hidden="true">
          Inbox
        </span>
        <LiveSign />
        <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={onHelp} />
      </header>
      <FilterBar filters={filters} />
      <Tabs filters={filters} />
      <NotSent />
      <SearchNews queue={queue} />
      <Selection picked={picked} count={queue.items.length} onTags={onTags} />
      <Content filters={filters} queue={queue}>
        <List
          label={`${stateText[state]} submissions`}
          items={queue.items}
          activeId={active.id}
          picked={picked.ids}
          tag={filters.tag}
          onOpen={active.open}
          onPick={picked.toggle}
          onNearEnd={queue.loadMore}
        />
      </Content>
      <MoreFailed queue={queue} />
      <footer>
        <Kbd>J</Kbd>
        <Kbd>K</Kbd> move <Kbd>A</Kbd> approve <Kbd>R</Kbd> reject <Kbd>Z</Kbd> undo <Kbd>?</Kbd> more
      </footer>
    </section>
  )
}

/** The states, with how many there are of each. */
function Tabs({ filters: { item: _item, state: shown = 'pending', ...others } }: { filters: Filters }) {
  const team = useTeam()
  const project = useProject()
  const counts = useCounts(project)
  return (
    <nav className="tabs" aria-label="State">
      {STATES.map((state) => (
        <Link
          key={state}
          to="/$team/$project/inbox"
          params={{ team: team.slug, project: project.slug }}
          search={state === 'pending' ? others : { ...others, state }}
          // Otherwise the tab without a filter is current beside each other one.
          activeOptions={{ exact: true }}
          activeProps={{}}
          aria-current={state === shown ? 'page' : undefined}
        >
          {stateText[state]} <b>{counts ? countText(counts[state]) : ' '}</b>
        </Link>
      ))}
    </nav>
  )
}

/** A search is not changed under somebody who reads it. */
function SearchNews({ queue: { newsCount, refresh } }: { queue: Queue }) {
  if (newsCount === 0) return null
  return (
    <div className="bar-note" role="status">
      <span>The results have changed.</span>
      <Button look="quiet" onClick={refresh}>
        Refresh
      </Button>
    </div>
  )
}

/** The next page is not asked for again by itself: what failed once may fail each time. */
function MoreFailed({ queue: { items, retryMore, isLoadingMore } }: { queue: Queue }) {
  if (!retryMore || items.length === 0) return null
  return (
    <div className="bar-note" role="alert">
      <span>Could not load more.</span>
      <Button look="quiet" isBusy={isLoadingMore} onClick={retryMore}>
        Try again
      </Button>
    </div>
  )
}

function Selection({ picked, count, onTags }: { picked: Picked; count: number } & Pick<ListPaneProps, 'onTags'>) {
  if (picked.ids.size === 0) return null
  return (
    <div className="bar-note" role="status">
      <span>{picked.ids.size} selected</span>
      {picked.ids.size < count && (
        <Button look="quiet" onClick={picked.all}>
          Select all {count} shown
        </Button>
      )}
      {onTags && (
        <Button look="quiet" shortcut="T" onClick={onTags}>
          Tags
        </Button>
      )}
      <Button look="quiet" onClick={picked.none}>
        Clear
      </Button>
    </div>
  )
}

function Content({ filters, queue, children }: { filters: Filters; queue: Queue; children: ReactNode }) {
  if (queue.isLoading) return <Skeleton rows={7} height="5.5rem" />
  if (queue.error && queue.items.length === 0) return <ErrorNote error={queue.error} onRetry={queue.reload} />
  if (queue.items.length > 0 || queue.hasMore) return children
  return <Nothing filters={filters} />
}

function Nothing({ filters }: { filters: Filters }) {
  const team = useTeam()
  const project = useProject()
  const { data: counts } = useQuery(countsQuery(project))
  const { state = 'pending' } = filters
  const place = { to: '/$team/$project/inbox', params: { team: team.slug, project: project.slug } } as const
  if (isNarrowed(filters))
    return (
      <Empty
        icon="search"
        title="Nothing matches"
        actions={
          <Link {...place} search={state === 'pending' ? {} : { state }} className="btn">
            Clear search and filters
          </Link>
        }
      >
        No {state} submission has all of these. Try fewer words, or another state.
      </Empty>
    )
  if (state !== 'pending')
    return (
      <Empty icon="inbox" title={`Nothing ${state} yet`}>
        What you {state === 'approved' ? 'approve' : 'reject'} is listed here, with who decided and when.
      </Empty>
    )
  if ((counts?.total ?? 0) > 0)
    return (
      <Empty icon="check" title="All caught up">
        Nothing is waiting for you. New words appear here by themselves.
      </Empty>
    )
  return (
    <Empty
      icon="inbox"
      title="No words yet"
      actions={
        <Link to="/$team/$project/first-steps" params={place.params} className="btn primary">
          See the first steps
        </Link>
      }
    >
      What visitors leave on your collection page, what you import and what programs send waits here until somebody decides. New words
      appear by themselves.
    </Empty>
  )
}
