import { sql } from 'drizzle-orm'

/** Who does a thing, as the audit log keeps it. */
export interface Actor {
  userId: string | null
  credentialId: string | null
  credentialKind: string | null
  ip: string | null
}

const { placeholder } = sql

/** The actor as a value of a statement; goes with `actorValues`. */
export const actorParameter = sql`row(${placeholder('actorUserId')}::uuid, ${placeholder('actorCredentialId')}::uuid, ${placeholder('actorCredentialKind')}::text, ${placeholder('actorIp')}::inet)::actor`

export interface ActorValues {
  actorUserId: string | null
  actorCredentialId: string | null
  actorCredentialKind: string | null
  actorIp: string | null
}

export function actorValues({ userId, credentialId, credentialKind, ip }: Actor): ActorValues {
  return { actorUserId: userId, actorCredentialId: credentialId, actorCredentialKind: credentialKind, actorIp: ip }
}
