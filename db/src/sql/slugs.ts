import { randomBytes } from 'node:crypto'
import { ApiError } from '@earshot/contracts'

const MAX_CHARACTERS = 50

/**
 * Inserts a row under its slug: the caller's own, or one made from the name, with a suffix when that is taken. `insert`
 * does nothing when the slug is taken, also when another transaction takes it at the same moment. Throws `already_exists`
 * for a slug of the caller's own.
 */
export async function insertWithSlug<Row>(
  { name, slug: chosen }: { name: string; slug?: string | undefined },
  insert: (slug: string) => Promise<Row[]>,
): Promise<Row> {
  const slug = chosen ?? (await slugFrom(name))
  const [row] = await insert(slug)
  if (row) return row
  const [suffixed] = chosen === undefined ? await insert(`${slug}-${randomBytes(3).toString('hex')}`) : []
  if (suffixed) return suffixed
  throw new ApiError('already_exists', { detail: 'This slug is taken already.' })
}

/** Makes a slug from a name. Names without a single letter give `untitled`. The tables of letters are loaded with the first name. */
async function slugFrom(name: string): Promise<string> {
  const { default: slugify } = await import('@sindresorhus/slugify')
  return slugify(name).slice(0, MAX_CHARACTERS).replace(/-+$/, '') || 'untitled'
}
