import type { Method, Operation } from '@earshot/contracts'
import type { z } from 'zod'
import type { DeferredVisitor, Guest, InAccount, InProject, InTeam, SignedIn, Visitor, VisitorInProject } from '../auth/callers.ts'
import type { Column } from './columns.ts'

/** The context of an operation's handler, which follows from the contract's fields and from the fields of its path. */
type ContextOf<O> = O extends { access: 'public' }
  ? PublicContextOf<O>
  : O extends { access: 'account' }
    ? Guest
    : O extends { reauthenticates: true }
      ? InAccount
      : O extends { path: `${string}{project_id}${string}` }
        ? InProject
        : O extends { path: `${string}{team_id}${string}` }
          ? InTeam
          : SignedIn

type PublicContextOf<O> = O extends { authorizesWithWork: true }
  ? DeferredVisitor
  : O extends { path: `${string}{${'public_key' | 'survey_id' | 'widget_id' | 'video_id'}}${string}` }
    ? VisitorInProject
    : Visitor

type Handler<O> =
  O extends Operation<Method, string, infer Input, infer Output>
    ? (call: { ctx: ContextOf<O>; input: z.output<Input> }) => Promise<ResultOf<O, z.input<Output>>>
    : never

type ResultOf<O, Output> = O extends { stream: 'events' }
  ? StreamPage<Output>
  : O extends { stream: 'records' }
    ? ExportPage<Output>
    : Output

/** A page of a stream. The stream asks its handler for pages, each with the cursor of the previous one. */
export interface StreamPage<Data = unknown> {
  results: {
    cursor: string
    data: Data
    /** The stored text of the data, if there is one, for callers who may see all of it. */
    text?: string
  }[]
  next_cursor: string
}

/** How many records an export reads at once. */
export const EXPORT_PAGE = 500

/** A page of an export. The export asks its handler for pages, each with the cursor of the previous one. */
export interface ExportPage<Data = object> {
  results: Data[]
  next_cursor: string | null
  /** The columns of a CSV file, if they are not the fields of the record. */
  columns?: Column<Data>[]
}

/** One handler for each operation of a tree. */
export type Handlers<Tree> = { [Name in keyof Tree]: Tree[Name] extends Operation ? Handler<Tree[Name]> : Handlers<Tree[Name]> }

/** Checks handlers against their contracts: a missing or unknown handler, or a wrong input or output, does not compile. */
export function implement<Tree>(_contracts: Tree, handlers: Handlers<Tree>): Handlers<Tree> {
  return handlers
}
