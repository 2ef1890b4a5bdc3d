import type { CredentialKind, Plan, Role, Scope } from '@earshot/contracts'
import type { Actor, SignInRow, Tx } from '@earshot/db'
import type { HandlerServices } from '../services.ts'
import type { DeviceCookie } from './device-cookie.ts'
import type { Provenance } from './provenance.ts'
import type { DeferredAccess, PublicProjectRow } from './public-access.ts'

/** The address of a receiver, normalized, that may be registered. */
export interface CheckedReceiver {
  url: string
  /** Whether only the local trial allows it. */
  local_trial: boolean
}

/** The context of every handler. */
interface Call {
  /** The pool, or the transaction of an idempotency key. */
  tx: Tx
  services: HandlerServices
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

/** A caller who changes how they sign in, and is asked for the password or a code again. Tries are counted outside of transactions. */
export interface InAccount extends SignedIn {
  account: SignInRow
  device: DeviceCookie
  /** Replaces the session's cookie. Takes the value of a Set-Cookie header. */
  setCookie: (cookie: string) => void
}

/** A caller in a team of which they are a member. */
export interface InTeam extends SignedIn {
  team: { id: string; role: Role; plan: Plan }
  /** Whether the caller may see and search other people's e-mail addresses. */
  seesContacts: boolean
  /** The receiver of the input's `url`, where the operation checks it; null without a `url`. */
  receiver: CheckedReceiver | null
}

/** A caller in a project of that team. */
export interface InProject extends InTeam {
  project: { team_id: string; project_id: string }
}

/** A visitor of the public plane, authorized and counted before the handler. */
export interface Visitor extends Call {
  ip: string
}

/** A visitor in the project that the public key or the survey of the path identifies. */
export interface VisitorInProject extends Visitor {
  project: PublicProjectRow
}

/** A visitor whom the handler's own statement authorizes and counts. */
export interface DeferredVisitor extends Visitor {
  deferredAccess: Pick<DeferredAccess, 'authorizeWith'>
}

/** A person who signs up, in or out. */
export interface Guest extends Call {
  ip: string
  userAgent: string | null
  provenance: Provenance
  /** The session of the cookie, if there is one. */
  sessionId: string | null
  device: DeviceCookie
  /** Sets or clears the session's cookie. Takes the value of a Set-Cookie header. */
  setCookie: (cookie: string) => void
  /**
   * Counts the request, once. Where the limit counts failures only, handlers call it for an attempt that failed but gets the
   * response of a success. Throws `rate_limited`.
   */
  countAttempt: () => Promise<void>
}
