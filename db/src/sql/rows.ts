import { ApiError } from '@earshot/contracts'

/** The row of a statement that always gives one. */
export function onlyOne<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('The statement gives one row, always')
  return row
}

/** For `rows[0] ?? notFound()`: absent, or another team's; the caller cannot tell which. */
export function notFound(): never {
  throw new ApiError('not_found')
}
