import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { LimitName } from './limits.ts'
import type { Feature, Quota } from './plans.ts'
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'

/** CORS and the shape of failures depend on these prefixes, so an operation cannot choose another. */
const PREFIXES = { credential: '/api/v1/', public: '/api/public/', account: '/api/auth/' } as const

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * Who may call an operation: callers with a credential; everybody, on the public plane; or people who sign up, in or out.
 * The last two take no credential and exist over REST only.
 */
export type Access = 'credential' | 'public' | 'account'

/**
 * What an operation streams, if its response is no JSON body: server-sent events for as long as the caller listens, or the
 * records of a list to its end, as NDJSON or CSV. Over REST and in the client only.
 */
export type StreamKind = false | 'events' | 'records'

/** The fields of an operation from which the types of its handler and its client method follow. */
export interface Traits<Who extends Access, Streams extends StreamKind, Reauthenticates extends boolean, WithWork extends boolean> {
  /** Who may call it; `credential` unless said. */
  access: Who
  /** What it streams; `output` is the data of one event, or one record. */
  stream: Streams
  /** Changes how a person signs in, and so asks for the password or a code again. */
  reauthenticates: Reauthenticates
  /** Its own statement authorizes and counts the request, in the round trip of its work. On the public plane only. */
  authorizesWithWork: WithWork
}

/** What a program that acts for a person must know before it calls an operation: the annotations of MCP tools, and one of our own. */
export interface Hints {
  /** Takes away what cannot be brought back. */
  destructive: boolean
  /** The same request again changes nothing more. */
  idempotent: boolean
  /** Sends something to others. */
  sendsOut: boolean
  /** Asks for a secret or shows one. */
  showsSecret: boolean
}

/** What an author writes of an operation. Everything that any surface needs is derived from it. */
interface OperationLiteral<Verb extends Method, Path extends string, Input extends z.ZodObject, Output extends z.ZodType> {
  /** HTTP method. GET is a query, everything else a mutation. */
  method: Verb
  /** Canonical path with `{snake_case}` fields and a slash at the end. */
  path: Path
  /** One line for lists of operations. */
  summary: string
  /** What a caller must know beyond the summary. */
  description?: string
  /** Status of success; 204 for DELETE and 200 for the others unless said. */
  status?: 200 | 201 | 202 | 204
  /** Scope that the credential must carry; absent: any credential. */
  scope?: Scope
  /** Least role in the team; absent where the path names no team. */
  role?: Role
  /** Open also to a caller none of whose teams has API access in its plan; for an operation without a team. */
  withoutApiAccess?: true
  /** Rate limit that counts the request. */
  limit?: LimitName
  /** What of it the limit counts; all requests unless said. Of the accounts' operations alone. */
  counts?: 'requests' | 'failures'
  /** Feature that the team's plan must include, else 402 `feature_not_in_plan`. */
  feature?: Feature
  /** Quota that success uses up by one, else 402 `quota_exceeded`. */
  quota?: Quota
  /**
   * The response waits for something outside, at most so many seconds. Such an operation takes no idempotency key, whose
   * transaction would be held open meanwhile, and clients do not repeat it by themselves.
   */
  waitsSeconds?: number
  /**
   * Its `url` is the address of a receiver. It is looked up and checked before the work, so that no transaction waits for DNS.
   */
  checksReceiver?: true
  /** The output shows e-mail addresses whatever the scopes: it is what one person left. */
  isUnmasked?: true
  /** The largest request body in bytes, if it may be larger than those of others. */
  bodyBytes?: number
  /** Fields of the input that travel in a header over REST, with the name of each header. */
  headers?: Readonly<Record<string, string>>
  /** What agents are told about it, where that does not follow from its shape; see `hintsOf`. */
  hints?: Partial<Hints>
  /** Errors that are this operation's own, beside those that follow from its shape. */
  errors?: readonly ErrorCode[]
  /** Path, query and body fields side by side, strict. */
  input: Input
  output: Output
}

/** Where each input field travels over REST. No field is in two of them. */
interface FieldSources {
  pathFields: ReadonlySet<string>
  queryFields: ReadonlySet<string>
  bodyFields: ReadonlySet<string>
  /** Fields of headers, with the name of each header. */
  headerFields: ReadonlyMap<string, string>
}

export interface Operation<
  Verb extends Method = Method,
  Path extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends OperationLiteral<Verb, Path, Input, Output>,
    Traits<Access, StreamKind, boolean, boolean>,
    FieldSources {
  status: 200 | 201 | 202 | 204
  limit: LimitName
  counts: 'requests' | 'failures'
  errors: readonly ErrorCode[]
}

/** A tree of operations; an operation's place in the tree is its name. */
export interface OperationTree {
  readonly [name: string]: Operation | OperationTree
}

/** Checks a literal and derives the rest. Throws at import when the literal contradicts itself. */
export function operation<
  const Verb extends Method,
  const Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Who extends Access = 'credential',
  const Streams extends StreamKind = false,
  const Reauthenticates extends boolean = false,
  const WithWork extends boolean = false,
>(
  literal: OperationLiteral<Verb, Path, Input, Output> & Partial<Traits<Who, Streams, Reauthenticates, WithWork>>,
): Operation<Verb, Path, Input, Output> & Traits<Who, Streams, Reauthenticates, WithWork> {
  const { method, access = 'credential' } = literal
  requireConsistency(literal)
  return {
    status: method === 'DELETE' ? 204 : 200,
    limit: limitOf(method, access),
    counts: 'requests',
    errors: [],
    // The type parameters have these same defaults.
    access: 'credential' as Who,
    stream: false as Streams,
    reauthenticates: false as Reauthenticates,
    authorizesWithWork: false as WithWork,
    ...literal,
    ...fieldSources(literal),
  }
}

/** The output of an operation that answers 204. */
export const NoContent = z.void()

function requireConsistency({
  path,
  method,
  counts,
  access = 'credential',
  stream,
  reauthenticates,
  authorizesWithWork,
  checksReceiver,
  input,
}: Pick<Operation, 'path' | 'method' | 'input'> &
  Partial<Pick<Operation, 'counts' | 'access' | 'stream' | 'reauthenticates' | 'authorizesWithWork' | 'checksReceiver'>>): void {
  const refuse = (reason: string) => {
    throw new Error(`${method} ${path}: ${reason}`)
  }
  if (!path.startsWith(PREFIXES[access])) refuse(`paths of access ${access} start with ${PREFIXES[access]}`)
  if (counts === 'failures' && access !== 'account') refuse('only account operations count failures alone')
  if (stream && (access !== 'credential' || method !== 'GET')) refuse('a stream is a GET with a credential')
  if (reauthenticates && access !== 'credential') refuse('only callers with a credential are asked for the password again')
  if (authorizesWithWork && access !== 'public') refuse('only public operations authorize with their work')
  if (checksReceiver && !('url' in input.shape)) refuse('the receiver that is checked is the field url')
}

/** The limit of an operation that names none. */
function limitOf(method: Method, access: Access): LimitName {
  if (access === 'account') return 'unauthenticated'
  if (access === 'credential') return 'authenticated'
  return method === 'GET' ? 'public_read' : 'public_write'
}

interface FieldSourcesOptions {
  method: Method
  path: string
  headers?: Readonly<Record<string, string>>
  input: z.ZodObject
}

function fieldSources({ method, path, headers = {}, input }: FieldSourcesOptions): FieldSources {
  if (!path.endsWith('/')) throw new Error(`${path}: a canonical path ends in a slash`)
  if (!(input.def.catchall instanceof z.ZodNever)) throw new Error(`${method} ${path}: the input must be a strict object`)
  const pathFields = new Set([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string))
  const fields = Object.keys(input.shape)
  for (const field of pathFields) if (!fields.includes(field)) throw new Error(`${method} ${path}: ${field} is not in the input`)
  const headerFields = new Map(Object.entries(headers))
  for (const field of headerFields.keys()) if (!fields.includes(field)) throw new Error(`${method} ${path}: ${field} is not in the input`)
  const others = new Set(fields.filter((field) => !pathFields.has(field) && !headerFields.has(field)))
  const hasBody = method === 'POST' || method === 'PATCH'
  return { pathFields, queryFields: hasBody ? new Set() : others, bodyFields: hasBody ? others : new Set(), headerFields }
}
