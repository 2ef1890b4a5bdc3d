import { timingSafeEqual } from 'node:crypto'
import { type NotificationKind, notificationKinds } from '@earshot/contracts'
import type { SecretBox } from '../secret-box.ts'

const PURPOSE = 'unsubscribe'
const TOKEN = /^(\w+)\.([0-9a-f-]{36})\.([0-9a-f-]{36})\.([\w-]{43})$/

/** What somebody gets mails of. */
export interface Subscription {
  kind: NotificationKind
  team_id: string
  user_id: string
}

/** Returns the token of the link that ends a subscription. It works as long as the service keeps its secret key. */
export function unsubscribeToken(box: SecretBox, { kind, team_id, user_id }: Subscription): string {
  const subscription = `${kind}.${team_id}.${user_id}`
  return `${subscription}.${box.mac(PURPOSE, subscription).toString('base64url')}`
}

/** Returns what a token ends, or null for a token that this service did not make. */
export function readUnsubscribeToken(box: SecretBox, token: string): Subscription | null {
  const [, name, team_id = '', user_id = '', given = ''] = TOKEN.exec(token) ?? []
  const kind = notificationKinds.find((one) => one === name)
  if (!kind) return null
  const mac = box.mac(PURPOSE, `${kind}.${team_id}.${user_id}`)
  return timingSafeEqual(mac, Buffer.from(given, 'base64url')) ? { kind, team_id, user_id } : null
}
