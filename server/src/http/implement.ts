import type { Contracts, CredentialKind, Method, Operation, Plan, Role, Scope } from '@earshot/contracts'
import type { Actor, SignInRow, Tx } from '@earshot/db'
import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'
import type { z } from 'zod'
import type { DeferredAccess, PublicProjectRow } from '../auth/public-access.ts'
import type { Services } from '../services.ts'
import type { Provenance } from './provenance.ts'
import type { ErrorShape } from './trpc-failure.ts'

/** What every handler has. */
interface Call {
  /** The pool, or the transaction of an idempotency key. */
  tx: Tx
  services: Services
}

/** A caller with a credential. */
export interface SignedIn extends Call {
  actor: Actor & { userId: string; credentialId: string }
  credential: { kind: CredentialKind; id: string; scopes: readonly Scope[]; expiresAt: string | null }
  /** Informative only: what the client says it is. */
  client: 'mcp' | null
  /** Whether the registration may count as made from this machine (decisions: local trial). */
  isForwarded: boolean
}

/** A caller who changes how to sign in to the own account, and is asked for the password or a code again. */
export interface InAccount extends SignedIn {
  /** Read, and the try counted, before the transaction of an idempotency key: a refusal undoes none of it. */
  account: SignInRow
  /** Sets the session's cookie anew: the text of a Set-Cookie header. */
  setCookie: (cookie: string) => void
}

/** A caller in a team that the caller belongs to. */
export interface InTeam extends SignedIn {
  team: { id: string; role: Role; plan: Plan }
  /** Whether other people's e-mail addresses may be shown and searched. */
  seesContacts: boolean
}

/** A caller in a project of that team. */
export interface InProject extends InTeam {
  project: { team_id: string; project_id: string }
}

/** A visitor of the public plane, authorized and counted before the handler. */
export interface Visitor extends Call {
  ip: string
}

/** A visitor in the project that the public key of the path identifies. */
export interface VisitorInProject extends Visitor {
  project: PublicProjectRow
}

/** A visitor whom the handler's own statement authorizes and counts. */
export interface DeferredVisitor extends Visitor {
  deferredAccess: Pick<DeferredAccess, 'authorizeWith'>
}

/** Somebody who signs up, in or out. */
export interface Guest extends Call {
  ip: string
  userAgent: string | null
  provenance: Provenance
  /** Of the session's cookie, if there is one. */
  sessionId: string | null
  /** Sets or takes away the session's cookie: the text of a Set-Cookie header. */
  setCookie: (cookie: string) => void
  /**
   * Counts the request, once. Where the limit counts failures alone it is for a try that failed but is answered like a
   * success. Throws `rate_limited`.
   */
  countTry: () => Promise<void>
}

/** What a handler knows of its caller follows from the operation's fields, and from those of its path. */
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
  : O extends { path: `${string}{public_key}${string}` }
    ? VisitorInProject
    : Visitor

type Handler<O> =
  O extends Operation<Method, string, infer Input, infer Output>
    ? (call: { ctx: ContextOf<O>; input: z.output<Input> }) => Promise<ResultOf<O, z.input<Output>>>
    : never

type ResultOf<O, Output> = O extends { stream: true } ? StreamPage<Output> : Output

/** What a stream sends next; asked for again and again, with the cursor of the page before. */
export interface StreamPage<Data = unknown> {
  results: {
    cursor: string
    data: Data
    /** The data as it is kept, for who may see all of it. */
    text: string
  }[]
  next_cursor: string
}

/** One handler for each operation of a tree. */
export type Handlers<Tree> = { [Name in keyof Tree]: Tree[Name] extends Operation ? Handler<Tree[Name]> : Handlers<Tree[Name]> }

/** Ties handlers to their contracts: a missing one, an unknown one, a wrong input or output does not compile. */
export function implement<Tree>(_contracts: Tree, handlers: Handlers<Tree>): Handlers<Tree> {
  return handlers
}

type ProcedureOf<O> =
  O extends Operation<infer Verb, string, infer Input, infer Output>
    ? Verb extends 'GET'
      ? TRPCQueryProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: object }>
      : TRPCMutationProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: object }>
    : never

type RecordOf<Tree> = {
  [Name in keyof Tree as Tree[Name] extends { stream: true } ? never : Name]: Tree[Name] extends Operation
    ? ProcedureOf<Tree[Name]>
    : RecordOf<Tree[Name]>
}

/** The tRPC router's type, from the contracts alone: clients never see server code. The public plane, the accounts and streams are REST only. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  RecordOf<Omit<Contracts, 'public' | 'auth'>>
>
