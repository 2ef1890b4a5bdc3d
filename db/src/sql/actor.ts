import { type SQL, sql } from 'drizzle-orm'
import type { Parameters } from './statement.ts'

/** Who makes a change, as the audit log records it. */
export interface Actor {
  userId: string | null
  credentialId: string | null
  credentialKind: string | null
  ip: string | null
}

/** An actor who is a person, rather than the system. */
export type UserActor = Actor & { userId: string }

/** The actor as a row of PostgreSQL's type `actor`, for the functions that record the audit log. */
export function actorRow(p: Parameters<ActorValues>): SQL {
  return sql`row(${p.actorUserId}::uuid, ${p.actorCredentialId}::uuid, ${p.actorCredentialKind}::text, ${p.actorIp}::inet)::actor`
}

export interface ActorValues {
  actorUserId: string | null
  actorCredentialId: string | null
  actorCredentialKind: string | null
  actorIp: string | null
}

export function actorValues({ userId, credentialId, credentialKind, ip }: Actor): ActorValues {
  return { actorUserId: userId, actorCredentialId: credentialId, actorCredentialKind: credentialKind, actorIp: ip }
}
