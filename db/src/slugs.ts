import { randomBytes } from 'node:crypto'
import slugify from '@sindresorhus/slugify'
import { type SQL, sql } from 'drizzle-orm'

const MAX_CHARACTERS = 50

/** A slug from a name, and what to append when it is taken. Names without a single letter give `untitled`. */
export function slugFrom(name: string): { slug: string; slugSuffix: string } {
  const slug = slugify(name).slice(0, MAX_CHARACTERS).replace(/-+$/, '')
  return { slug: slug || 'untitled', slugSuffix: randomBytes(3).toString('hex') }
}

/** The slug of a new row: the caller's own, or the made one with its suffix when `taken`. */
export function freeSlug(taken: SQL): SQL {
  const { placeholder } = sql
  return sql`case
    when ${placeholder('slugSuffix')}::text is not null and exists (${taken}) then ${placeholder('slug')}::text || '-' || ${placeholder('slugSuffix')}::text
    else ${placeholder('slug')}::text
  end`
}
