import { type Contracts, type OperationTree, resourceDescriptions } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'

/** A resource without a description does not compile here. */
const meanings: Record<string, string> = resourceDescriptions satisfies Record<keyof Contracts, string>

/** The tag of the webhooks that the service sends. */
export const WEBHOOK_TAG: oas31.TagObject = {
  name: 'Events sent',
  description:
    'The requests that the service sends to your webhook endpoints. Any 2xx within 30 seconds counts as received. 429, 500, 502, 503, 504 and network failures are retried, with at most eight attempts in about 45 hours; any other status is final. The same delivery may arrive twice: deduplicate on `X-Service-Delivery`, and verify `X-Service-Signature` over the raw body before you parse it.',
}

/** Returns one tag per resource, in the order of the contracts. */
export function tagsOf(contracts: OperationTree): oas31.TagObject[] {
  return Object.keys(contracts).map((key) => {
    const description = meanings[key]
    if (description === undefined) throw new Error(`${key} has no description in resourceDescriptions`)
    return { name: tagOf(key), description }
  })
}

/** Returns the tag of an operation: `publicKeys.create` → `Public keys`. */
export function tagOf(name: string): string {
  const words = name.replace(/\..*$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
