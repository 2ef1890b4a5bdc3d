import { randomBytes } from 'node:crypto'
import { ApiError } from '@earshot/contracts'
import slugify from '@sindresorhus/slugify'
import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'

const MAX_CHARACTERS = 50

/** What a new row shall be called, and what to append when that is taken; null where the caller chose. */
export interface WantedSlug {
  slug: string
  slugSuffix: string | null
}

/** A slug from a name, and what to append when it is taken. Names without a single letter give `untitled`. */
export function slugFrom(name: string): WantedSlug {
  const slug = slugify(name).slice(0, MAX_CHARACTERS).replace(/-+$/, '')
  return { slug: slug || 'untitled', slugSuffix: randomBytes(3).toString('hex') }
}

/** Creates a row; when another took the made slug in the same moment, where `freeSlug` cannot see it, once more with the suffix. */
export async function createWithSlug<Row>(tx: Tx, wanted: WantedSlug, create: (tx: Tx, slug: WantedSlug) => Promise<Row>): Promise<Row> {
  const { slug, slugSuffix } = wanted
  if (slugSuffix === null) return create(tx, wanted)
  try {
    return await tx.attempt((attempt) => create(attempt, wanted))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'already_exists') throw error
    return create(tx, { slug: `${slug}-${slugSuffix}`, slugSuffix: null })
  }
}

/** The slug of a new row: the caller's own, or the made one with its suffix when `taken`. */
export function freeSlug(taken: SQL): SQL {
  const { placeholder } = sql
  return sql`case
    when ${placeholder('slugSuffix')}::text is not null and exists (${taken}) then ${placeholder('slug')}::text || '-' || ${placeholder('slugSuffix')}::text
    else ${placeholder('slug')}::text
  end`
}
