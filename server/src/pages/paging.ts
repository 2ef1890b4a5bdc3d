import { contracts } from '@earshot/contracts'
import type { z } from 'zod'
import { compileInput } from '../http/input.ts'
import { type Html, html } from './html.ts'
import type { OwnPage } from './own-page.ts'

const readInput = compileInput(contracts.me.tokens.list.input, new Set())

/** Returns the list query of a page's address: the first page without a cursor. */
export function readListQuery({ request }: OwnPage): z.output<typeof contracts.me.tokens.list.input> {
  const { cursor } = request.query as { cursor?: unknown }
  return readInput({ cursor })
}

/** A link to the next page of a list, if there is one. */
export function olderLink(path: string, cursor: string | null): Html | false {
  return cursor !== null && html`<p><a href="${path}?${String(new URLSearchParams({ cursor }))}" rel="next">Older</a></p>`
}
