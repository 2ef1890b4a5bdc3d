import type { Client } from '@earshot/contracts/client'
import type { Item, Output } from '../api.ts'

export type Endpoint = Item<Client['webhooks']['list']>
export type CreatedEndpoint = Output<Client['webhooks']['create']>
export type Delivery = Item<Client['webhooks']['deliveries']['list']>
export type Attempt = Item<Client['webhooks']['attempts']['list']>
export type Stats = Output<Client['webhooks']['stats']>
export type Summary = Item<Client['webhooks']['summaries']['list']>
export type TypeDetails = Item<Client['events']['types']['list']>
export type EventType = TypeDetails['type']

/** The fields of an endpoint's operations. */
export interface EndpointRef {
  team_id: string
  webhook_id: string
}
