import { contracts } from '@earshot/contracts'
import type { z } from 'zod'
import { compileInput } from '../http/input.ts'
import { type Html, html } from './html.ts'
import type { OwnPage } from './own-page.ts'

const readInput = compileInput(contracts.me.tokens.list.input, new Set())

/** Which page of a list the address asks for; the first, without a cursor. Throws `validation_error`. */
export function readListQuery({ request }: OwnPage): z.output<typeof contracts.me.tokens.list.input> {
  const { cursor } = request.query as { cursor?: unknown }
  return readInput({ cursor })
}

/** The way to what a list holds beyond this page, if there is more. */
export function olderLink(path: string, cursor: string | null): Html | false {
  return cursor !== null && html`<p><a href="${path}?${String(new URLSearchParams({ cursor }))}" rel="next">Older</a></p>`
}
