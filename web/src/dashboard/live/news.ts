import { hashKey, type QueryKey } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

interface Page {
  results: readonly { id: string }[]
  next_cursor: string | null
}

/** The ids of records that changed and that a list shows only when the person asks, by the key of the list. */
const news = new Map<string, ReadonlySet<string>>()
const NONE: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

/** Notes that a list would show a record now, or would not. */
export function noteNews(key: QueryKey, id: string, isShown: boolean): void {
  const name = hashKey(key)
  const known = news.get(name) ?? NONE
  if (known.has(id) === isShown) return
  const next = new Set(known)
  if (isShown) next.add(id)
  else next.delete(id)
  set(name, next)
}

/** Whether a list may have a record that it has not loaded yet: it is older than all that are. Ids begin with the time. */
export function isBeyond(pages: readonly Page[] | undefined, id: string): boolean {
  const last = pages?.at(-1)
  const oldest = pages?.flatMap(({ results }) => results).at(-1)
  return last !== undefined && last.next_cursor !== null && oldest !== undefined && id < oldest.id
}

/** The list is read anew. */
export function forgetNews(key: QueryKey): void {
  const name = hashKey(key)
  if (news.has(name)) set(name, NONE)
}

/** How many records a list would show beside those that it shows. */
export function useNews(key: QueryKey, shown: readonly { id: string }[]): number {
  const name = hashKey(key)
  const ids = useSyncExternalStore(subscribe, () => news.get(name) ?? NONE)
  if (ids.size === 0) return 0
  const known = new Set(shown.map(({ id }) => id))
  return [...ids].filter((id) => !known.has(id)).length
}

function set(name: string, ids: ReadonlySet<string>): void {
  if (ids.size === 0) news.delete(name)
  else news.set(name, ids)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
