import { defined, textOf } from '../address.ts'

/** The tag whose dialog is open. */
export interface TagsSearch {
  rename?: string | undefined
  delete?: string | undefined
}

/** Reads the address. */
export function readTagsSearch(search: Record<string, unknown>): TagsSearch {
  return defined({ rename: textOf(search.rename), delete: textOf(search.delete) })
}
