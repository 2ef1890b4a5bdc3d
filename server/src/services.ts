import type { SecretBox, WebhookUrlVerdict } from '@earshot/drivers'

/** What handlers use beside the database. Given by `buildApp`'s caller. */
export interface Services {
  secretBox: SecretBox
  /** Judges the address of a receiver; `isForwarded` ends the local trial for this registration. */
  judgeReceiver: (url: string, circumstances: { isForwarded: boolean }) => Promise<WebhookUrlVerdict & { isLocalTrial?: boolean }>
  /** Plan of a new team. */
  defaultPlan: string
  /** How many teams a user may make. */
  maxTeamsPerUser: number
}
