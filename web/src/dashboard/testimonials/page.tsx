import './testimonials.css'
import './details.css'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { queries } from '../api.ts'
import { takeBack } from '../inbox/decisions.ts'
import { NotSent } from '../inbox/not-sent.tsx'
import { useKeys } from '../inbox/use-keys.ts'
import { forgetNews, useNews } from '../live/news.ts'
import { countsQuery, useHasRole, useProject, useProjectRef } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { NewsBar } from '../ui/news-bar.tsx'
import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { OpenWords } from './detail.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type Filters, narrowing } from './filters.ts'
import { NewTestimonial } from './new.tsx'
import { WordsRow } from './row.tsx'
import { type Words, wordsQuery } from './words.ts'

const PLACE = '/$team/$project/testimonials'
const KINDS = [
  { kind: undefined, counted: 'testimonial', text: 'Testimonials' },
  { kind: 'text', counted: 'text', text: 'Texts of visitors' },
  { kind: 'video', counted: 'video', text: 'Videos' },
] as const

// Dragging is a library of its own.
const Order = lazy(async () => ({ default: (await import('./order.tsx')).Order }))

/** The words of customers that the team shows: what to feature, which part, and in which order. */
export function Testimonials() {
  const filters = useSearch({ from: PLACE })
  const navigate = useNavigate({ from: PLACE })
  const canWrite = useHasRole('member')
  useKeys({ z: () => takeBack() })
  const isOrdering = filters.view === 'order'
  const show = (view: Filters['view']) => void navigate({ search: { ...filters, view } })
  const actions = (
    <>
      <Button icon={isOrdering ? 'left' : 'drag'} onClick={() => void navigate({ search: isOrdering ? {} : { view: 'order' } })}>
        {isOrdering ? 'All testimonials' : 'Order'}
      </Button>
      {canWrite && (
        <Button look="primary" icon="plus" onClick={() => show('new')}>
          Add a testimonial
        </Button>
      )}
    </>
  )
  return (
    <Page
      title="Testimonials"
      lead="Feature the best words of your customers, choose the part to show, and put them in order."
      actions={actions}
      width="wide"
    >
      {isOrdering ? (
        <Suspense fallback={<Skeleton rows={5} />}>
          <Order canWrite={canWrite} />
        </Suspense>
      ) : (
        <Lists filters={filters} />
      )}
      {filters.view === 'new' && canWrite && (
        <NewTestimonial onClose={(item) => void navigate({ search: item === undefined ? { ...filters, view: undefined } : { item } })} />
      )}
    </Page>
  )
}

function Lists({ filters }: { filters: Filters }) {
  const ref = useProjectRef()
  const options = wordsQuery(ref, filters)
  const query = useInfiniteQuery(options)
  const all = query.data?.pages.flatMap(({ results }) => results) ?? []
  const newsCount = useNews(options.queryKey, all)
  const showNews = () => {
    forgetNews(options.queryKey)
    void queries.invalidateQueries({ queryKey: options.queryKey, exact: true })
  }
  return (
    <>
      <KindTabs kind={filters.kind} />
      <FilterBar filters={filters} />
      <NotSent className="news-bar" />
      <div className="tm" data-open={filters.item !== undefined || undefined}>
        <div className="words-list">
          <NewsBar count={newsCount} onShow={showNews} />
          <Loaded query={query} skeleton={<Skeleton rows={5} height="6rem" />}>
            {() => <WordsList all={all} filters={filters} isComplete={!query.hasNextPage} />}
          </Loaded>
          <More query={query} />
        </div>
        {filters.item !== undefined && (
          <OpenWords key={filters.item} id={filters.item} kind={filters.kind} known={all.find(({ id }) => id === filters.item)} />
        )}
      </div>
    </>
  )
}

function WordsList({ all, filters, isComplete }: { all: readonly Words[]; filters: Filters; isComplete: boolean }) {
  if (all.length === 0 && isComplete) return <NoWords filters={filters} />
  return (
    <ul>
      {all.map((words) => (
        <WordsRow key={words.id} words={words} filters={filters} />
      ))}
    </ul>
  )
}

function KindTabs({ kind }: { kind: Filters['kind'] }) {
  const { data: counts } = useQuery(countsQuery(useProject()))
  return (
    <nav className="kind-tabs" aria-label="Kind">
      {KINDS.map(({ kind: to, counted, text }) => (
        <Link
          key={text}
          from={PLACE}
          search={to === undefined ? {} : { kind: to }}
          activeOptions={{ exact: true }}
          data-current={to === kind || undefined}
          {...(to === kind ? { 'aria-current': 'page' } : { 'aria-current': undefined })}
        >
          {text} <span>{counts?.kinds[counted].total.toLocaleString('en')}</span>
        </Link>
      ))}
    </nav>
  )
}

function NoWords({ filters }: { filters: Filters }) {
  const canWrite = useHasRole('member')
  const isNarrowed = Object.keys(narrowing(filters)).length > 0
  if (isNarrowed)
    return (
      <Empty
        icon="search"
        title="Nothing matches"
        actions={
          <Link
            className="btn plain"
            activeOptions={{ exact: true }}
            from={PLACE}
            search={filters.kind === undefined ? {} : { kind: filters.kind }}
          >
            Clear the filters
          </Link>
        }
      >
        No words of customers match the search and the filters.
      </Empty>
    )
  if (filters.kind !== undefined)
    return (
      <Empty icon={filters.kind === 'video' ? 'video' : 'inbox'} title="Nothing has arrived yet">
        What visitors send appears here and in the inbox, where you approve it.
      </Empty>
    )
  return (
    <Empty
      icon="quote"
      title="No testimonials yet"
      actions={
        canWrite && (
          <Link className="btn primary" activeOptions={{ exact: true }} from={PLACE} search={{ view: 'new' }}>
            Add the first one
          </Link>
        )
      }
    >
      A testimonial is what a customer told you elsewhere: in an e-mail, on a review site, in a call. Add it with the consent of the
      customer.
    </Empty>
  )
}
