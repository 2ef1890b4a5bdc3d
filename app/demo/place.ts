import { randomUUID } from 'node:crypto'
import type { Database, ProjectRow, UserRow } from '@earshot/db'
import type { SecretBox } from '@earshot/drivers'

/** What people agree to on the collection page. */
export const CONSENT_TEXT = 'I agree that Northlight may publish my words, with my name.'

/** Somebody who uses the dashboard. */
export interface Colleague {
  userId: string
  credentialId: null
  credentialKind: 'session'
  ip: null
}

/** What the parts of the demo fill. */
export interface DemoPlace {
  /** The transaction of a part, or the pool. */
  tx: Pick<Database, 'run' | 'attempt' | 'transaction'>
  ids: Pick<ProjectRow, 'team_id'> & { project_id: string }
  owner: Colleague
  admin: Colleague
  member: Colleague
  secretBox: SecretBox
}

/** Returns a person as the audit log names whoever decides in the dashboard. */
export function colleagueOf({ id }: Pick<UserRow, 'id'>): Colleague {
  return { userId: id, credentialId: null, credentialKind: 'session', ip: null }
}

const DAY_MS = 86_400_000

/** Returns the time some days before now, at most now. */
export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS)
}

/** Returns an id of UUID version 7 for a time: a record with it counts as created then (RFC 9562 §5.7). */
export function idAt(time: Date): string {
  const ms = time.getTime().toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${randomUUID().slice(15)}`
}

/** Returns numbers from 0 to 1 that are the same in every demo (mulberry32). */
export function createDice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}
