import type { ReactNode } from 'react'
import { ErrorNote } from './error-note.tsx'
import { Skeleton } from './skeleton.tsx'

export interface LoadedProps<Data> {
  /** A query of React Query. */
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  /** The shape of what is loaded. */
  skeleton?: ReactNode
  children: (data: Data) => ReactNode
}

/** Shows what a query loaded, its shape before, and its failure in words. Old data stay while newer are loaded. */
export function Loaded<Data>({ query, skeleton = <Skeleton />, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  return skeleton
}
