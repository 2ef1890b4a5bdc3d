import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, type Submission } from '../api.ts'
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
  loadMore: () => void
  reload: () => void
}

/** The submissions that the filters of the address show, without those whose decision is on its way. */
export function useQueue(filters: Filters): Queue {
  const ref = useProjectRef()
  const { item: _item, ...shown } = filters
  const query = useInfiniteQuery({
    queryKey: [...listKey(ref.project_id), listInput(shown)],
    queryFn: ({ pageParam, signal }) =>
      api.submissions.list({ ...ref, ...listInput(shown), limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }: ListPage) => next_cursor ?? undefined,
    // The stream tells what changes; a page that is loaded stays.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const held = useHeld()
  const pages = query.data?.pages
  const items = useMemo(() => (pages ?? []).flatMap(({ results }) => results).filter(({ id }) => !held.has(id)), [pages, held])
  return {
    items,
    isLoading: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
    },
    reload: () => void query.refetch(),
  }
}
