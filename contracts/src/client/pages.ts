import type { Page, PagedPromise } from './options.ts'
/**
 * Makes the promise of a first page iterable. Pages are requested as needed. An empty page with a cursor does not end the
 * list; a feed, whose cursor is never null, ends at its first empty page, because the caller is up to date, unless it says that it has more.
 */
export function paged<Item>(
  first: Promise<Page<Item>>,
  next: (cursor: string) => Promise<Page<Item>>,
  isEndless: boolean,
): PagedPromise<Page<Item>, Item> {
  async function* pages() {
    let page = await first
    while (true) {
      yield page
      if (page.next_cursor === null || (isEndless && page.results.length === 0 && page.has_more !== true)) return
      page = await next(page.next_cursor)
    }
  }
  async function* items() {
    for await (const page of pages()) yield* page.results
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: items })
}
