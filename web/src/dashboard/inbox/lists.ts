import type { InfiniteData } from '@tanstack/react-query'
import { type api, type Output, queries, type Submission } from '../api.ts'

export type ListPage = Output<typeof api.submissions.list>
type Pages = InfiniteData<ListPage, string | undefined>

/** The lists of a project's submissions begin with this key; the input of the list follows. */
export function listKey(project_id: string) {
  return ['submissions', project_id] as const
}

/** Whether a list, or the page of the submission itself, shows it. */
export function knowsSubmission(project_id: string, id: string): boolean {
  const lists = queries.getQueriesData<Pages>({ queryKey: listKey(project_id) })
  const isListed = lists.some(([, data]) => data?.pages.some(({ results }) => results.some((one) => one.id === id)))
  return isListed || queries.getQueryData(['submission', id]) !== undefined
}

/** Changes a submission wherever a list shows it. */
export function patchSubmission(project_id: string, id: string, change: (submission: Submission) => Submission): void {
  changeLists(project_id, (results) => results.map((one) => (one.id === id ? change(one) : one)))
  queries.setQueryData<Submission>(['submission', id], (known) => known && change(known))
}

/** Takes submissions out of the lists that show other states, once a decision is known to the service. */
export function moveSubmissions(project_id: string, moved: ReadonlyMap<string, Submission['state'] | 'deleted'>): void {
  for (const [key] of queries.getQueriesData<Pages>({ queryKey: listKey(project_id) })) {
    const state = stateOf(key)
    queries.setQueryData<Pages>(key, (data) =>
      withResults(data, (results) => results.filter(({ id }) => !moved.has(id) || moved.get(id) === state)),
    )
  }
  // Lists of the new state are asked for again when somebody opens them.
  void queries.invalidateQueries({
    queryKey: listKey(project_id),
    refetchType: 'none',
    predicate: ({ queryKey }) => hasMovedInto(queryKey, moved),
  })
}

/** Puts a new submission at its place in the lists that show its state without further filters. */
export function insertSubmissions(project_id: string, arrived: readonly Submission[]): void {
  for (const [key] of queries.getQueriesData<Pages>({ queryKey: listKey(project_id) })) {
    if (Object.keys(inputOf(key)).length > 1) continue
    const fitting = arrived.filter(({ state }) => state === stateOf(key))
    queries.setQueryData<Pages>(key, (data) => (data && fitting.length > 0 ? withArrived(data, fitting) : data))
  }
}

function withArrived(data: Pages, arrived: readonly Submission[]): Pages {
  const known = new Set(data.pages.flatMap(({ results }) => results.map(({ id }) => id)))
  const [first, ...others] = data.pages
  const fresh = arrived.filter(({ id }) => !known.has(id))
  if (!first || fresh.length === 0) return data
  // Ids begin with the time, so the newest are first.
  const results = [...fresh, ...first.results].sort((a, b) => (a.id < b.id ? 1 : -1))
  return { ...data, pages: [{ ...first, results }, ...others] }
}

function changeLists(project_id: string, change: (results: Submission[]) => Submission[]): void {
  queries.setQueriesData<Pages>({ queryKey: listKey(project_id) }, (data) => withResults(data, change))
}

function withResults(data: Pages | undefined, change: (results: Submission[]) => Submission[]): Pages | undefined {
  return data && { ...data, pages: data.pages.map((page) => ({ ...page, results: change(page.results) })) }
}

function hasMovedInto(key: readonly unknown[], moved: ReadonlyMap<string, string>): boolean {
  return [...moved.values()].includes(stateOf(key) ?? '')
}

function stateOf(key: readonly unknown[]): string | undefined {
  return inputOf(key).state
}

function inputOf(key: readonly unknown[]): { state?: string } {
  return key[2] as { state?: string } // Proven: useQueue alone makes these keys.
}
