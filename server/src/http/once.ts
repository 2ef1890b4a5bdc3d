/** Returns a function that makes a value when it is first asked for, and again only if a promise of it was rejected. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    if (made) return made.value
    const own = { value: make() }
    made = own
    // What failed to load may load the next time.
    if (own.value instanceof Promise) own.value.catch(() => (made = undefined))
    return own.value
  }
}
