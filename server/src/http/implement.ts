import type { Contracts, CredentialKind, Method, Operation, Plan, Role, Scope } from '@earshot/contracts'
import type { Actor, SignInRow, Tx } from '@earshot/db'
import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'
import type { z } from 'zod'
import type { Provenance } from '../auth/provenance.ts'
import type { DeferredAccess, PublicProjectRow } from '../auth/public-access.ts'
import type { Services } from '../services.ts'
import type { ErrorShape } from './trpc-failure.ts'

/** The context of every handler. */
interface Call {
  /** The pool, or the transaction of an idempotency key. */
  tx: Tx
  services: Services
}

/** A caller with a credential. */
export interface SignedIn extends Call {
  actor: Actor & { userId: string; credentialId: string }
  credential: { kind: CredentialKind; id: string; scopes: readonly Scope[]; expiresAt: string | null }
  /** What the client says it is; for information only. */
  client: 'mcp' | null
  /** Whether a proxy forwarded the request. Then it does not count as made from this machine (local trial). */
  isForwarded: boolean
}

/** A caller who changes how they sign in, and is asked for the password or a code again. */
export interface InAccount extends SignedIn {
  /** Read, and the attempt counted, before the transaction of an idempotency key, so that its rollback does not undo the count. */
  account: SignInRow
  /** Replaces the session's cookie. Takes the value of a Set-Cookie header. */
  setCookie: (cookie: string) => void
}

/** A caller in a team of which they are a member. */
export interface InTeam extends SignedIn {
  team: { id: string; role: Role; plan: Plan }
  /** Whether the caller may see and search other people's e-mail addresses. */
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
interface VisitorInProject extends Visitor {
  project: PublicProjectRow
}

/** A visitor whom the handler's own statement authorizes and counts. */
interface DeferredVisitor extends Visitor {
  deferredAccess: Pick<DeferredAccess, 'authorizeWith'>
}

/** A person who signs up, in or out. */
export interface Guest extends Call {
  ip: string
  userAgent: string | null
  provenance: Provenance
  /** The session of the cookie, if there is one. */
  sessionId: string | null
  /** Sets or clears the session's cookie. Takes the value of a Set-Cookie header. */
  setCookie: (cookie: string) => void
  /**
   * Counts the request, once. Where the limit counts failures only, handlers call it for an attempt that failed but gets the
   * response of a success. Throws `rate_limited`.
   */
  countAttempt: () => Promise<void>
}

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
  : O extends { path: `${string}{public_key}${string}` }
    ? VisitorInProject
    : Visitor

type Handler<O> =
  O extends Operation<Method, string, infer Input, infer Output>
    ? (call: { ctx: ContextOf<O>; input: z.output<Input> }) => Promise<ResultOf<O, z.input<Output>>>
    : never

type ResultOf<O, Output> = O extends { stream: true } ? StreamPage<Output> : Output

/** A page of a stream. The stream asks its handler for pages, each with the cursor of the previous one. */
export interface StreamPage<Data = unknown> {
  results: {
    cursor: string
    data: Data
    /** The stored text of the data, for callers who may see all of it. */
    text: string
  }[]
  next_cursor: string
}

/** One handler for each operation of a tree. */
export type Handlers<Tree> = { [Name in keyof Tree]: Tree[Name] extends Operation ? Handler<Tree[Name]> : Handlers<Tree[Name]> }

/** Checks handlers against their contracts: a missing or unknown handler, or a wrong input or output, does not compile. */
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

/**
 * The type of the tRPC router, derived from the contracts so that clients need no server code. It has the operations with a
 * credential, except streams.
 */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  RecordOf<Omit<Contracts, 'public' | 'auth'>>
>
