import type { Plan } from '@earshot/contracts'
import type { BlobStore, SecretBox, WebhookUrlCheck } from '@earshot/drivers'
import type { AccessJwts } from './auth/access-jwts.ts'
import type { ReadDeviceCookie } from './auth/device-cookie.ts'
import type { Passwords } from './auth/passwords.ts'
import type { Sessions } from './auth/session-engine.ts'
import type { KeyQueue } from './http/key-queue.ts'

/** The services that `buildApp`'s caller provides. */
export interface GivenServices {
  secretBox: SecretBox
  /** Where files are stored. */
  blobStore: BlobStore
  /** Checks the address of a receiver. A forwarded request cannot register a receiver of the local trial. */
  checkReceiver: (url: string, request: { isForwarded: boolean }) => Promise<WebhookUrlCheck & { isLocalTrial?: boolean }>
  /** Plan of a new team. */
  defaultPlan: Plan
  /** How many teams a user may create. */
  maxTeamsPerUser: number
  /** How many public writes an address may send to a project on a day. */
  publicWritesPerDay: number
  /** Whether people may sign up. */
  isSignUpOpen: boolean
  /** How long a second use of a refresh token, while its successor is unused, is refused without ending the token family. */
  reuseLeewaySeconds: number
}

/** The services of handlers, including those that the server creates. */
export interface Services extends GivenServices {
  passwords: Passwords
  sessions: Sessions
  deviceOf: ReadDeviceCookie
  accessJwts: AccessJwts
  keyQueue: KeyQueue
  /** The start of addresses of the service. */
  baseUrl: string
  /** Wakes the dispatcher of this process, for work that is committed before the response. */
  nudge: () => void
  rateLimitMultiplier: number
}

/**
 * What handlers may use. They may run in the transaction of an idempotency key, so nothing here waits for anything but
 * PostgreSQL: receivers are checked by the pipeline, before the work, and files are stored by routes of their own.
 */
export type HandlerServices = Omit<Services, 'checkReceiver' | 'keyQueue' | 'blobStore'>
