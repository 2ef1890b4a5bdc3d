import type { Submission } from '@earshot/contracts'
import type { Client } from '@earshot/contracts/client'
import { ageOf } from './age.ts'
import { cut, oneLine } from './printable.ts'

const QUOTED_WIDTH = 40

/** The other people who moderate, by name. */
export class Colleagues {
  private readonly options: { client: Client; team_id: string; signal: AbortSignal }
  private names: Promise<Map<string, string>> | undefined

  constructor(options: Colleagues['options']) {
    this.options = options
  }

  /** Returns what somebody decided: `“Saved us a week” was rejected by Grace 12s ago.` */
  async newsOf(submission: Submission): Promise<string> {
    const { by, at } = submission.moderation
    this.names ??= this.readNames()
    const who = by === null ? '' : ` by ${(await this.names).get(by) ?? 'somebody else'}`
    return `${quoteOf(submission)} was ${submission.state}${who}${at === null ? '' : ` ${ageOf(at)} ago`}.`
  }

  private async readNames(): Promise<Map<string, string>> {
    const { client, team_id, signal } = this.options
    const names = new Map<string, string>()
    try {
      for await (const { user } of client.members.list({ team_id }, { signal })) names.set(user.id, user.name)
    } catch {
      // Names are read with another scope; the message is clear without.
    }
    return names
  }
}

/** Returns the beginning of what a submission says. */
export function quoteOf({ title, body }: Submission): string {
  return `“${cut(oneLine(title ?? body), QUOTED_WIDTH)}”`
}
