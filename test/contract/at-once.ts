import type { NamedOperation } from '@earshot/contracts'

const AT_ONCE = 16

/** Does work for every item, for some at once: the service authorizes requests that come together in one statement. */
export async function eachAtOnce<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>, atOnce = AT_ONCE): Promise<void> {
  const waiting = Iterator.from(items)
  const workOn = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, workOn))
}

/** Does the same by requests of an operation, which come one after the other if it streams: a caller has few streams at once. */
export function eachRequest<Item>(
  { operation }: NamedOperation,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  return eachAtOnce(items, work, operation.stream ? 1 : AT_ONCE)
}
