package earshot

import "iter"

// Fetch returns one page: its items, and the cursor of the next page, nil on the last. The cursor is nil for the first page.
type Fetch[Item any] func(cursor *string) (items []Item, next *string, err error)

// Items yields the items of all pages, which are requested as needed. It ends after an error. An empty page with a cursor does not
// end a list. For a feed, such as events, whose cursor is never nil, use Feed.
func Items[Item any](fetch Fetch[Item]) iter.Seq2[Item, error] {
	return walk(fetch, false)
}

// Feed yields the items of a feed until its first empty page: then the caller is up to date.
func Feed[Item any](fetch Fetch[Item]) iter.Seq2[Item, error] {
	return walk(fetch, true)
}

func walk[Item any](fetch Fetch[Item], isFeed bool) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var cursor *string
		for {
			items, next, err := fetch(cursor)
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil || (isFeed && len(items) == 0) {
				return
			}
			cursor = next
		}
	}
}
