/** A page of a list. */
export interface Page {
  results: unknown[]
  next_cursor?: string | null
}

/** Prints the result of an operation, or one page after another, as fast as it is read. */
export interface Output {
  add(result: unknown): Promise<void>
  end(): Promise<void>
}

export function isPage(result: unknown): result is Page {
  return typeof result === 'object' && result !== null && 'results' in result && Array.isArray(result.results)
}

/** Returns the value at a path, undefined where there is none. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined), record)
}
