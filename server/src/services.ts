import type { Plan } from '@earshot/contracts'
import type { SecretBox, WebhookUrlCheck } from '@earshot/drivers'
import type { AccessJwts } from './auth/access-jwts.ts'
import type { Passwords } from './auth/passwords.ts'
import type { Sessions } from './auth/session-engine.ts'

/** What handlers use beside the database, as `buildApp`'s caller gives it. */
export interface GivenServices {
  secretBox: SecretBox
  /** Judges the address of a receiver; `isForwarded` ends the local trial for this registration. */
  checkReceiver: (url: string, circumstances: { isForwarded: boolean }) => Promise<WebhookUrlCheck & { isLocalTrial?: boolean }>
  /** Plan of a new team. */
  defaultPlan: Plan
  /** How many teams a user may make. */
  maxTeamsPerUser: number
  /** Whether people may make accounts by themselves. */
  isSignUpOpen: boolean
  /** How long the second use of a refresh token, while its successor is unused, is refused without ending all of its family. */
  reuseLeewaySeconds: number
}

/** And what the server makes itself. */
export interface Services extends GivenServices {
  passwords: Passwords
  sessions: Sessions
  accessJwts: AccessJwts
  /** Something is committed that may be due, though the answer still waits: wakes the dispatcher of this process. */
  nudge: () => void
  rateLimitMultiplier: number
}
