import type { InfiniteData, QueryKey } from '@tanstack/react-query'
import { queries, type Submission } from '../api.ts'
import { canMatch, matches } from '../inbox/matching.ts'
import type { Change } from '../live/follow.ts'
import { isBeyond, noteNews } from '../live/news.ts'
import type { narrowing } from './filters.ts'
import { isTestimonial, keepWords, type Words, wordsKey } from './words.ts'

type Pages = InfiniteData<{ results: Words[]; next_cursor: string | null }, string | undefined>
type Narrow = ReturnType<typeof narrowing>

interface WordsList {
  key: QueryKey
  kind: Submission['kind']
  narrow: Narrow
  data: Pages | undefined
}

/** Whether a list of this page needs more of a changed record than its id, kind and state. */
export function showsChangedWords(project_id: string, change: Change): boolean {
  if (queries.getQueryData(wordsKey({ project_id, id: change.submission_id })) !== undefined) return true
  return wordsLists(project_id, 'active').some((list) => hasWords(list, change.submission_id) || (canShow(list, change) && isNarrow(list)))
}

/** Shows what changed in the lists of testimonials and of visitors' words. New ones wait until the person asks for them. */
export function showWords(project_id: string, changes: readonly Change[], read: readonly Words[]): void {
  const known = new Map(read.map((words) => [words.id, words]))
  for (const words of read) keepChanged(project_id, words)
  // An order that is being changed is not read in between.
  if (changes.some(({ kind, type }) => kind === 'testimonial' && type !== 'submission.updated'))
    void queries.invalidateQueries({ queryKey: ['featured', project_id] })
  const deleted = new Set(changes.filter(({ state }) => state === 'deleted').map(({ submission_id }) => submission_id))
  for (const list of wordsLists(project_id)) {
    if (deleted.size > 0) drop(list, deleted)
    for (const change of changes) {
      const words = known.get(change.submission_id)
      const isShown = words ? showsWords(list, words) : showsUnread(list, change)
      noteNews(list.key, change.submission_id, isShown && !isBeyond(list.data?.pages, change.submission_id))
    }
  }
}

/** The record of a testimonial has more than that of a submission: what the team added stays. */
export function keepChanged(project_id: string, words: Words): void {
  const listed = wordsLists(project_id).flatMap(wordsOf)
  const shown = listed.find(({ id }) => id === words.id) ?? queries.getQueryData<Words>(wordsKey(words))
  if (shown) keepWords(isTestimonial(words) ? words : { ...shown, ...words })
}

function wordsLists(project_id: string, type: 'all' | 'active' = 'all'): WordsList[] {
  const found = queries.getQueryCache().findAll({ queryKey: ['words', project_id], type })
  return found.map(({ queryKey, state }) => {
    // Proven: wordsQuery alone makes these keys.
    const [, , kind, narrow] = queryKey as [string, string, Submission['kind'], Narrow]
    return { key: queryKey, kind, narrow, data: state.data as Pages | undefined }
  })
}

function canShow({ kind, narrow: { state } }: WordsList, change: { state: string; kind: string }): boolean {
  return change.state !== 'deleted' && canMatch({ kind, state }, change)
}

/** Whether a list shows what nobody has read. One that is narrowed by more is read anew when somebody opens it. */
function showsUnread(list: WordsList, change: Change): boolean {
  if (!canShow(list, change)) return false
  if (!isNarrow(list)) return true
  void queries.invalidateQueries({ queryKey: list.key, exact: true, type: 'inactive', refetchType: 'none' })
  return false
}

/** Whether it takes more of a record than its kind and state to know whether a list shows it. */
function isNarrow({ narrow: { state: _state, ...others } }: WordsList): boolean {
  return Object.keys(others).length > 0
}

function showsWords({ kind, narrow: { featured, q, ...narrow } }: WordsList, words: Words): boolean {
  const isFeatured = featured === undefined || (isTestimonial(words) && words.featured)
  return isFeatured && matches({ ...narrow, kind, search: q }, words)
}

function wordsOf({ data }: WordsList): Words[] {
  return data?.pages.flatMap(({ results }) => results) ?? []
}

function hasWords(list: WordsList, id: string): boolean {
  return wordsOf(list).some((words) => words.id === id)
}

function drop({ key }: WordsList, deleted: ReadonlySet<string>): void {
  queries.setQueryData<Pages>(
    key,
    (data) =>
      data && { ...data, pages: data.pages.map((page) => ({ ...page, results: page.results.filter(({ id }) => !deleted.has(id)) })) },
  )
}
