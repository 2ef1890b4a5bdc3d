/** Returns the ids from one row of a list to another, in the order of the list; null when the list does not show the first. */
export function rangeOf(items: readonly { id: string }[], startId: string | null, endId: string): string[] | null {
  const from = items.findIndex(({ id }) => id === startId)
  const to = items.findIndex(({ id }) => id === endId)
  return from >= 0 ? items.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ id }) => id) : null
}

/** Picks a row, or takes it back. */
export function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
