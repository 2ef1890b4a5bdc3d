import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, queries, type Submission } from '../api.ts'
import { forgetNews, useNews } from '../live/news.ts'
import { useProjectRef } from '../shell/places.ts'
import { useHeld } from './decisions.ts'
import { type Filters, listInput } from './filters.ts'
import { type ListPage, listKey } from './lists.ts'

const PAGE = 100

export interface Queue {
  /** What is loaded and not decided yet, newest first. */
  items: readonly Submission[]
  isLoading: boolean
  error: unknown
  hasMore: boolean
  /** Asks for the next page, unless that failed before. */
  loadMore: () => void
  /** Asks again for a next page that could not be loaded; null while there is none. */
  retryMore: (() => void) | null
  isLoadingMore: boolean
  reload: () => void
  /** How many submissions a search would find beside those that it shows. */
  newsCount: number
  /** Begins the list anew. */
  refresh: () => void
}

/** The submissions that the filters of the address show, without those whose decision is on its way. */
export function useQueue(filters: Filters): Queue {
  const ref = useProjectRef()
  const { item: _item, ...shown } = filters
  const queryKey = [...listKey(ref.project_id), listInput(shown)]
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.submissions.list({ ...ref, ...listInput(shown), limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }: ListPage) => next_cursor ?? undefined,
    // The stream tells what changes; a page that is loaded stays.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = query
  const held = useHeld()
  const pages = query.data?.pages
  const nextCursor = pages?.at(-1)?.next_cursor ?? null
  // The query forgets its failure with each change that the stream tells.
  const [failedCursor, setFailedCursor] = useState<string | null>(null)
  const hasFailed = nextCursor !== null && failedCursor === nextCursor
  const askForMore = async () => {
    const { isFetchNextPageError } = await fetchNextPage({ cancelRefetch: false })
    setFailedCursor(isFetchNextPageError ? nextCursor : null)
  }
  const loaded = useMemo(() => (pages ?? []).flatMap(({ results }) => results), [pages])
  const items = useMemo(() => loaded.filter(({ id }) => !held.has(id)), [loaded, held])
  return {
    items,
    isLoading: query.isPending,
    error: query.error,
    hasMore: hasNextPage,
    // A list that is being read anew would be given up, and its old rows would stay.
    loadMore: () => {
      if (hasNextPage && !isFetching && !hasFailed) void askForMore()
    },
    retryMore: hasFailed ? () => void askForMore() : null,
    isLoadingMore: isFetchingNextPage,
    reload: () => void query.refetch(),
    newsCount: useNews(queryKey, loaded),
    refresh: () => {
      forgetNews(queryKey)
      queries.setQueryData<typeof query.data>(
        queryKey,
        (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
      )
      void query.refetch()
    },
  }
}
