import type { DeliveredEvent, WebhookFormat } from '@earshot/contracts'
import { toDiscord } from './discord.ts'
import { messageOf } from './message.ts'
import { toSlack } from './slack.ts'
import { toTeams } from './teams.ts'

const renderers = { slack: toSlack, discord: toDiscord, teams: toTeams } satisfies Record<Exclude<WebhookFormat, 'earshot'>, unknown>

/** Returns the body of a delivery in a chat's format, for the stored body of an event. Links begin with `baseUrl`. */
export function renderChatBody(format: keyof typeof renderers, payload: string, baseUrl: string): string {
  // Proven: the service wrote the body by its contract.
  const event = JSON.parse(payload) as DeliveredEvent
  return JSON.stringify(renderers[format](messageOf(event, baseUrl)))
}
