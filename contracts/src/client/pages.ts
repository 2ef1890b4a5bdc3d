/** The output of a list operation. */
export interface Page<Item> {
  results: Item[]
  next_cursor: string | null
}

/** The first page when awaited; every item of every page when iterated. */
export interface PagedPromise<Output, Item> extends Promise<Output>, AsyncIterable<Item> {
  /** Page after page, from the first. */
  pages(): AsyncIterable<Output>
}

/**
 * Makes the promise of a first page iterable. Pages are asked for as they are needed. An empty page with a cursor goes on;
 * an endless feed, whose cursor is never null, ends at its first empty page: the caller has caught up.
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
      if (page.next_cursor === null || (isEndless && page.results.length === 0)) return
      page = await next(page.next_cursor)
    }
  }
  async function* items() {
    for await (const page of pages()) yield* page.results
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: items })
}
