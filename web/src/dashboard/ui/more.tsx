import { Button } from './button.tsx'

interface MoreProps {
  /** An infinite query of React Query. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** Loads the next page of a list. */
export function More({ query }: MoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="more">
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </div>
  )
}
