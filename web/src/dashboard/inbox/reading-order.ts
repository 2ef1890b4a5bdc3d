interface Item {
  id: string
}

/** Where somebody reads in a list. */
interface Place {
  /** -1 when the list does not show what is read. */
  index: number
  /** Where what is read was in the list last. */
  lastIndex: number
}

/** Returns what is read after some steps down the list, or up; undefined in an empty list. */
export function afterSteps<Read extends Item>(items: readonly Read[], { index, lastIndex }: Place, steps: number): Read | undefined {
  const from = index >= 0 ? index : lastIndex - (steps > 0 ? 1 : 0)
  return items[Math.min(items.length - 1, Math.max(0, from + steps))]
}

/** Returns what is read once some have left the list: the next one that stays, else the one before; undefined when none stays. */
export function afterLeaving<Read extends Item>(
  items: readonly Read[],
  { index, lastIndex }: Place,
  leaving: ReadonlySet<string>,
): Read | undefined {
  const at = index >= 0 ? index : lastIndex
  return items.slice(at).find((one) => !leaving.has(one.id)) ?? items.slice(0, at).findLast((one) => !leaving.has(one.id))
}
