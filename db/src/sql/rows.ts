import { ApiError } from '@earshot/contracts'

/** Returns the row of a statement that always returns one. */
export function onlyOne<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('A statement that always returns a row returned none')
  return row
}

/** Throws `not_found`, as in `rows[0] ?? notFound()`: the row is absent or another team's; the caller cannot tell which. */
export function notFound(): never {
  throw new ApiError('not_found')
}
