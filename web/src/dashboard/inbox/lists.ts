import type { InfiniteData } from '@tanstack/react-query'
import { type api, type Output, queries, type Submission } from '../api.ts'
import { noteNews } from '../live/news.ts'
import { refreshPreviews } from '../widgets/refresh-previews.ts'
import type { Held } from './held.ts'
import { canMatch, matches, type Narrowing } from './matching.ts'

export type ListPage = Output<typeof api.submissions.list>
export type Counts = Output<typeof api.submissions.counts>
type Pages = InfiniteData<ListPage, string | undefined>

/** The lists of a project's submissions begin with this key; the input of the list follows. */
export function listKey(project_id: string) {
  return ['submissions', project_id] as const
}

interface Changed {
  submission_id: string
  state: string
  kind: string
}

/** Whether lists are loaded, and none of them has any of these. */
export function lacksAll(project_id: string, submissions: readonly Submission[]): boolean {
  const loaded = queries.getQueriesData<Pages>({ queryKey: listKey(project_id) }).flatMap(([, data]) => data?.pages ?? [])
  const known = new Set(loaded.flatMap(({ results }) => results.map(({ id }) => id)))
  return loaded.length > 0 && !submissions.some(({ id }) => known.has(id))
}

/** Whether a list on the screen may show what changed, or the page of the submission itself does. */
export function showsChange(project_id: string, change: Changed): boolean {
  return (
    queries.getQueryData(['submission', change.submission_id]) !== undefined ||
    activeLists(project_id).some((input) => canMatch(input, change))
  )
}

/** What narrows each list on a screen of this tab. */
export function activeLists(project_id: string): Narrowing[] {
  return queries
    .getQueryCache()
    .findAll({ queryKey: listKey(project_id), type: 'active' })
    .map(({ queryKey }) => inputOf(queryKey))
}

/** The ids of what a list has loaded. */
export function idsOf(project_id: string, input: Narrowing): ReadonlySet<string> {
  const data = queries.getQueryData<Pages>([...listKey(project_id), input])
  return new Set(data?.pages.flatMap(({ results }) => results.map(({ id }) => id)))
}

/** Takes what is not in a list any more out of it. */
export function takeOut(project_id: string, input: Narrowing, gone: ReadonlySet<string>): void {
  if (gone.size === 0) return
  queries.setQueryData<Pages>([...listKey(project_id), input], (data) =>
    withResults(data, (results) => results.filter(({ id }) => !gone.has(id))),
  )
}

/** Changes a submission wherever a list shows it. */
export function patchSubmission(project_id: string, id: string, change: (submission: Submission) => Submission): void {
  changeLists(project_id, (results) => results.map((one) => (one.id === id ? change(one) : one)))
  queries.setQueryData<Submission>(['submission', id], (known) => known && change(known))
}

/** Takes submissions out of the lists that show other states, once a decision is known to the service. */
export function moveSubmissions(project_id: string, moved: ReadonlyMap<string, Submission['state'] | 'deleted'>): void {
  for (const [key] of queries.getQueriesData<Pages>({ queryKey: listKey(project_id) })) {
    const { state } = inputOf(key)
    queries.setQueryData<Pages>(key, (data) =>
      withResults(data, (results) => results.filter(({ id }) => !moved.has(id) || moved.get(id) === state)),
    )
  }
  // Lists of the new state are asked for again when somebody opens them; those on the screen get what is read.
  void queries.invalidateQueries({
    queryKey: listKey(project_id),
    type: 'inactive',
    refetchType: 'none',
    predicate: ({ queryKey }) => hasMovedInto(queryKey, moved),
  })
  // Previews of widgets show what is approved.
  if ([...moved.values()].some((state) => state !== 'pending')) refreshPreviews(project_id)
}

/**
 * Puts submissions at their places in the lists whose filters they match. A search stays as it is: the person is told that it has
 * changed. A list that is not on the screen is read again when somebody opens it, if it may lack something.
 */
export function insertSubmissions(project_id: string, arrived: readonly Submission[]): void {
  for (const query of queries.getQueryCache().findAll({ queryKey: listKey(project_id) })) {
    const input = inputOf(query.queryKey)
    const fitting = arrived.filter((submission) => matches(input, submission))
    if (input.search === undefined)
      queries.setQueryData<Pages>(query.queryKey, (data) => (data && fitting.length > 0 ? withArrived(data, fitting) : data))
    else for (const submission of arrived) noteNews(query.queryKey, submission.id, fitting.includes(submission))
  }
}

/** What nobody has read may be missing in the lists that are not on the screen. */
export function outdateHiddenLists(project_id: string, unread: readonly Changed[]): void {
  void queries.invalidateQueries({
    queryKey: listKey(project_id),
    type: 'inactive',
    refetchType: 'none',
    predicate: ({ queryKey }) => unread.some((change) => canMatch(inputOf(queryKey), change)),
  })
}

/** Moves the figures along, instead of asking for them after each decision. */
export function countMoves(
  project_id: string,
  decided: readonly { submission: Pick<Submission, 'id' | 'state'> }[],
  moved: ReadonlyMap<string, Submission['state'] | 'deleted'>,
): void {
  queries.setQueryData<Counts>(['counts', project_id], (counts) => {
    if (!counts) return counts
    const changed = { ...counts }
    for (const { submission } of decided) {
      const after = moved.get(submission.id)
      changed[submission.state] -= 1
      if (after !== undefined && after !== 'deleted') changed[after] += 1
    }
    return changed
  })
}

/** Returns the figures of a project once the decisions on their way are made. */
export function countHeld(held: ReadonlyMap<string, Held>, counts: Counts, project_id: string): Counts {
  const shown = { ...counts }
  for (const { submission, action } of held.values()) {
    if (submission.project_id !== project_id) continue
    shown[submission.state] = Math.max(0, shown[submission.state] - 1)
    shown[action === 'approve' ? 'approved' : 'rejected'] += 1
  }
  return shown
}

/** Counts new arrivals. */
export function countArrivals(project_id: string, count: number): void {
  queries.setQueryData<Counts>(
    ['counts', project_id],
    (counts) => counts && { ...counts, pending: counts.pending + count, total: counts.total + count },
  )
}

/** Begins the lists of a project anew, with one request for each that is on the screen. */
export function resetLists(project_id: string): void {
  queries.setQueriesData<Pages>(
    { queryKey: listKey(project_id) },
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  )
  void queries.invalidateQueries({ queryKey: listKey(project_id) })
  void queries.invalidateQueries({ queryKey: ['submission'] })
}

/** Ids begin with the time, and lists are newest first. What is older than all that is loaded comes with its own page. */
function withArrived(data: Pages, arrived: readonly Submission[]): Pages {
  const known = new Set(data.pages.flatMap(({ results }) => results.map(({ id }) => id)))
  const pages = data.pages.map((page) => ({ ...page, results: [...page.results] }))
  for (const submission of arrived.filter(({ id }) => !known.has(id))) {
    const place = pages[pageOf(data.pages, submission.id)]
    place?.results.push(submission)
    place?.results.sort((a, b) => (a.id < b.id ? 1 : -1))
  }
  return { ...data, pages }
}

/** Returns which page a submission belongs to. One all of which was decided says nothing about its place. */
function pageOf(pages: readonly ListPage[], id: string): number {
  if (pages.every(({ results }) => results.length === 0)) return 0
  return pages.findIndex(({ results, next_cursor }) => next_cursor === null || (results.at(-1)?.id ?? id) < id)
}

function changeLists(project_id: string, change: (results: Submission[]) => Submission[]): void {
  queries.setQueriesData<Pages>({ queryKey: listKey(project_id) }, (data) => withResults(data, change))
}

function withResults(data: Pages | undefined, change: (results: Submission[]) => Submission[]): Pages | undefined {
  return data && { ...data, pages: data.pages.map((page) => ({ ...page, results: change(page.results) })) }
}

function hasMovedInto(key: readonly unknown[], moved: ReadonlyMap<string, string>): boolean {
  return [...moved.values()].includes(inputOf(key).state ?? '')
}

function inputOf(key: readonly unknown[]): Narrowing {
  return key[2] as Narrowing // Proven: useQueue alone makes these keys.
}
