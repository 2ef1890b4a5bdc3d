import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Submission } from '../../web/src/dashboard/api.ts'
import { Browser, reactQuery, type Tab } from './browser.ts'
import { changeOf, countsOf, PROJECT, submissionOf } from './records.ts'
import { FakeService } from './service.ts'

let tab: Tab

beforeEach(() => {
  vi.useFakeTimers()
  tab = new Browser().openTab({ service: new FakeService() })
})

afterEach(() => void vi.useRealTimers())

type Filters = Parameters<Tab['dashboard']['lists']['takeOut']>[1]

test('an arrival goes to the lists that it matches, newest first', () => {
  load({ state: 'pending' }, [['5', '3', '1']])
  load({ state: 'approved' }, [['9']])
  load({ state: 'pending', tag: 'press' }, [[]])
  tab.dashboard.lists.insertSubmissions(PROJECT, [submissionOf({ id: '4' }), submissionOf({ id: '6' })])
  expect(shown({ state: 'pending' })).toEqual(['6', '5', '4', '3', '1'])
  expect(shown({ state: 'approved' })).toEqual(['9'])
  expect(shown({ state: 'pending', tag: 'press' })).toEqual([])
})

test('an arrival that a list has already is not shown twice', () => {
  load({ state: 'pending' }, [['5', '3']])
  tab.dashboard.lists.insertSubmissions(PROJECT, [submissionOf({ id: '3' })])
  expect(shown({ state: 'pending' })).toEqual(['5', '3'])
})

test('what is older than all that is loaded comes with its own page', () => {
  load({ state: 'pending' }, [['5', '3']], 'next')
  tab.dashboard.lists.insertSubmissions(PROJECT, [submissionOf({ id: '1' })])
  expect(shown({ state: 'pending' })).toEqual(['5', '3'])
})

test('what is older than all others is last once the list is loaded to its end', () => {
  load({ state: 'pending' }, [['5', '3']])
  tab.dashboard.lists.insertSubmissions(PROJECT, [submissionOf({ id: '1' })])
  expect(shown({ state: 'pending' })).toEqual(['5', '3', '1'])
})

test('a list whose first page is decided keeps the order of what comes back', () => {
  load(
    { state: 'pending' },
    [
      ['9', '8'],
      ['5', '3'],
    ],
    'next',
  )
  tab.dashboard.lists.moveSubmissions(
    PROJECT,
    new Map([
      ['9', 'approved'],
      ['8', 'rejected'],
    ] as const),
  )
  tab.dashboard.lists.insertSubmissions(PROJECT, [submissionOf({ id: '4' }), submissionOf({ id: '1' }), submissionOf({ id: '7' })])
  expect(shown({ state: 'pending' })).toEqual(['7', '5', '4', '3'])
})

test('a list all of which is decided shows what arrives', () => {
  load({ state: 'pending' }, [['9'], ['5']], 'next')
  tab.dashboard.lists.moveSubmissions(
    PROJECT,
    new Map([
      ['9', 'approved'],
      ['5', 'approved'],
    ] as const),
  )
  tab.dashboard.lists.insertSubmissions(PROJECT, [submissionOf({ id: 'b' }), submissionOf({ id: 'c' })])
  expect(shown({ state: 'pending' })).toEqual(['c', 'b'])
})

test('whatever arrives and leaves, a list is newest first, without duplicates, and lacks nothing that is newer than its oldest', () => {
  const id = fc.integer({ min: 100, max: 999 }).map(String)
  const loaded = fc.uniqueArray(fc.record({ id, isDecided: fc.boolean() }), { minLength: 1, maxLength: 40, selector: (one) => one.id })
  const arrived = fc.uniqueArray(id, { maxLength: 20 })
  fc.assert(
    fc.property(loaded, arrived, fc.integer({ min: 1, max: 9 }), (known, ids, pageSize) => {
      const sorted = known.toSorted((one, other) => (one.id < other.id ? 1 : -1))
      const pages = Array.from({ length: Math.ceil(sorted.length / pageSize) }, (_, page) =>
        sorted.slice(page * pageSize, (page + 1) * pageSize).map((one) => one.id),
      )
      const kept = sorted.filter(({ isDecided }) => !isDecided).map((one) => one.id)
      const decided = new Map(sorted.filter(({ isDecided }) => isDecided).map((one) => [one.id, 'approved'] as const))
      for (const cursor of [null, 'next']) {
        load({ state: 'pending' }, pages, cursor)
        tab.dashboard.lists.moveSubmissions(PROJECT, decided)
        tab.dashboard.lists.insertSubmissions(
          PROJECT,
          ids.map((one) => submissionOf({ id: one })),
        )
        const expected = new Set([...kept, ...ids.filter((one) => cursor === null || one > (kept.at(-1) ?? ''))])
        expect(shown({ state: 'pending' })).toEqual([...expected].toSorted().toReversed())
      }
    }),
    { numRuns: 60 },
  )
})

test('a search stays as it is, and says how many it would find beside those that it shows', () => {
  const { lists, news } = tab.dashboard
  const key = [...lists.listKey(PROJECT), { state: 'pending', search: 'words' }]
  load({ state: 'pending', search: 'words' }, [['5']])
  lists.insertSubmissions(PROJECT, [submissionOf({ id: '6' }), submissionOf({ id: '7', body: 'nothing' }), submissionOf({ id: '5' })])
  expect(shown({ state: 'pending', search: 'words' })).toEqual(['5'])
  expect(news.useNews(key, [{ id: '5' }])).toBe(1)
  // Its words were changed, so that the search would not find it any more.
  lists.insertSubmissions(PROJECT, [submissionOf({ id: '6', body: 'changed' })])
  expect(news.useNews(key, [{ id: '5' }])).toBe(0)
})

test('a search that is read again has nothing new', () => {
  const { lists, news } = tab.dashboard
  const key = [...lists.listKey(PROJECT), { state: 'pending', search: 'words' }]
  load({ state: 'pending', search: 'words' }, [['5']])
  lists.insertSubmissions(PROJECT, [submissionOf({ id: '6' })])
  news.forgetNews(key)
  expect(news.useNews(key, [])).toBe(0)
})

test('what was decided leaves the lists of other states, and stays in those of its own', () => {
  load({ state: 'pending' }, [['5', '3']])
  load({ state: 'approved' }, [['5', '1']])
  load({ state: 'rejected' }, [['2']])
  tab.dashboard.lists.moveSubmissions(
    PROJECT,
    new Map([
      ['5', 'approved'],
      ['2', 'deleted'],
    ] as const),
  )
  expect([shown({ state: 'pending' }), shown({ state: 'approved' }), shown({ state: 'rejected' })]).toEqual([['3'], ['5', '1'], []])
})

test('hidden lists that may lack something are read again when they are opened, and the others are not', () => {
  const { lists, api } = tab.dashboard
  load({ state: 'approved' }, [['1']])
  load({ state: 'rejected' }, [['2']])
  load({ state: 'pending', kind: 'video' }, [['3']])
  lists.moveSubmissions(PROJECT, new Map([['5', 'approved']] as const))
  lists.outdateHiddenLists(PROJECT, [changeOf('6', 'pending', { kind: 'text' })])
  const isOutdated = (filters: Filters) => api.queries.getQueryState([...lists.listKey(PROJECT), filters])?.isInvalidated
  expect([isOutdated({ state: 'approved' }), isOutdated({ state: 'rejected' }), isOutdated({ state: 'pending', kind: 'video' })]).toEqual([
    true,
    false,
    false,
  ])
  lists.outdateHiddenLists(PROJECT, [changeOf('7', 'pending', { kind: 'video' })])
  expect(isOutdated({ state: 'pending', kind: 'video' })).toBe(true)
})

test('only lists on the screen count as shown', () => {
  const { lists, api } = tab.dashboard
  load({ state: 'pending' }, [['5']])
  load({ state: 'approved' }, [['1']])
  expect(lists.activeLists(PROJECT)).toEqual([])
  const observer = new reactQuery.QueryObserver(api.queries, {
    queryKey: [...lists.listKey(PROJECT), { state: 'pending' }],
    staleTime: Number.POSITIVE_INFINITY,
  })
  const close = observer.subscribe(() => {})
  expect(lists.activeLists(PROJECT)).toEqual([{ state: 'pending' }])
  expect(lists.showsChange(PROJECT, changeOf('6', 'pending'))).toBe(true)
  expect(lists.showsChange(PROJECT, changeOf('6', 'approved'))).toBe(false)
  api.queries.setQueryData(['submission', '6'], submissionOf({ id: '6' }))
  expect(lists.showsChange(PROJECT, changeOf('6', 'approved'))).toBe(true)
  close()
})

test('a changed submission is changed in every list, and on its own page', () => {
  const { lists, api } = tab.dashboard
  load({ state: 'pending' }, [['5'], ['3']])
  load({ state: 'pending', search: 'words' }, [['5']])
  api.queries.setQueryData(['submission', '5'], submissionOf({ id: '5' }))
  lists.patchSubmission(PROJECT, '5', (one) => ({ ...one, tags: ['press'] }))
  const tagsOf = (filters: Filters) => rows(filters).map(({ tags }) => tags)
  expect([tagsOf({ state: 'pending' }), tagsOf({ state: 'pending', search: 'words' })]).toEqual([[['press'], []], [['press']]])
  expect(api.queries.getQueryData<Submission>(['submission', '5'])?.tags).toEqual(['press'])
})

test('lists that begin again keep their first page until it is read again', () => {
  const { lists, api } = tab.dashboard
  load({ state: 'pending' }, [['5'], ['3'], ['1']])
  lists.resetLists(PROJECT)
  expect(shown({ state: 'pending' })).toEqual(['5'])
  expect(api.queries.getQueryState([...lists.listKey(PROJECT), { state: 'pending' }])?.isInvalidated).toBe(true)
})

test('the figures count arrivals, and nothing while they are unknown', () => {
  const { lists, api } = tab.dashboard
  lists.countArrivals(PROJECT, 2)
  expect(api.queries.getQueryData(['counts', PROJECT])).toBeUndefined()
  api.queries.setQueryData(['counts', PROJECT], countsOf(1, 4))
  lists.countArrivals(PROJECT, 2)
  expect(api.queries.getQueryData(['counts', PROJECT])).toMatchObject({ pending: 3, approved: 4, total: 7 })
})

test('the figures move a decided submission from the state that the person saw', () => {
  const { lists, api } = tab.dashboard
  api.queries.setQueryData(['counts', PROJECT], countsOf(5, 4, 3))
  const decided = [submissionOf({ id: 'a' }), submissionOf({ id: 'b', state: 'approved' }), submissionOf({ id: 'c' })]
  lists.countMoves(
    PROJECT,
    decided.map((submission) => ({ submission })),
    new Map([
      ['a', 'approved'],
      ['b', 'rejected'],
      ['c', 'deleted'],
    ] as const),
  )
  expect(api.queries.getQueryData(['counts', PROJECT])).toMatchObject({ pending: 3, approved: 4, rejected: 4 })
})

test('another project is left alone', () => {
  const { lists } = tab.dashboard
  load({ state: 'pending' }, [['5']])
  lists.insertSubmissions('project-2', [submissionOf({ id: '6' })])
  lists.moveSubmissions('project-2', new Map([['5', 'approved']] as const))
  expect(shown({ state: 'pending' })).toEqual(['5'])
})

function load(filters: Filters, pages: readonly (readonly string[])[], lastCursor: string | null = null): void {
  const { api, lists } = tab.dashboard
  api.queries.setQueryData([...lists.listKey(PROJECT), filters], {
    pages: pages.map((ids, page) => ({
      results: ids.map((id) => submissionOf({ id, ...(filters.state && { state: filters.state }) })),
      next_cursor: page < pages.length - 1 ? `page ${page + 2}` : lastCursor,
    })),
    pageParams: pages.map((_, page) => (page === 0 ? undefined : `page ${page + 1}`)),
  })
}

function rows(filters: Filters): Submission[] {
  const { api, lists } = tab.dashboard
  const data = api.queries.getQueryData<{ pages: { results: Submission[] }[] }>([...lists.listKey(PROJECT), filters])
  return data?.pages.flatMap(({ results }) => results) ?? []
}

function shown(filters: Filters): string[] {
  return rows(filters).map(({ id }) => id)
}
