import { type Contracts, type OperationTree, resourceDescriptions } from '@earshot/contracts'
import type { oas31 } from 'zod-openapi'

/** A resource without a line of its own is a compile error here. */
const meanings: Record<string, string> = resourceDescriptions satisfies Record<keyof Contracts, string>

/** The tag of what the service sends rather than answers. */
export const WEBHOOK_TAG: oas31.TagObject = {
  name: 'Events sent',
  description:
    'What the service posts to your webhook endpoints. Any 2xx within 30 seconds counts as received; 429, 500, 502, 503, 504 and network failures are tried again, at most eight times in about 45 hours; anything else is final. The same delivery may arrive twice: deduplicate on `X-Service-Delivery`, and verify `X-Service-Signature` over the raw bytes before you parse them.',
}

/** One tag per resource, in the order of the contracts. */
export function tagsOf(contracts: OperationTree): oas31.TagObject[] {
  return Object.keys(contracts).map((key) => {
    const description = meanings[key]
    if (description === undefined) throw new Error(`${key} has no line in resourceDescriptions`)
    return { name: tagOf(key), description }
  })
}

/** The tag of an operation's name: `publicKeys.create` → `Public keys`. */
export function tagOf(name: string): string {
  const words = name.replace(/\..*$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
