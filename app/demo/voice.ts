import type { Channel } from '@earshot/contracts'

/** What somebody said of Northlight, a company that makes rotas for small teams. */
export interface Voice {
  /** How many days before the start of the demo it arrived. */
  days: number
  /** Name, and title and company where they are known. */
  who: readonly [name: string, title?: string | undefined, company?: string]
  body: string
  title?: string
  rating?: number
  language?: string
  tags?: readonly string[]
  /** Where it came from; the collection page unless it says otherwise. */
  channel?: Exclude<Channel, 'import' | 'mcp'>
  /** Where it was first published. The team entered it as a testimonial. */
  provider?: string
  /** What became of the consent; granted unless it says otherwise. */
  consent?: 'none' | 'withdrawn'
  /** The words of the body that the team stresses. */
  excerpt?: string
  /** Its place among the featured ones. */
  position?: number
}

/** A voice that the team did not want to show. */
export interface RejectedVoice extends Voice {
  reason: string
}
