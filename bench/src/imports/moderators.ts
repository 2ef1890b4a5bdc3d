import { type Client, EarshotApiError } from '@earshot/contracts/client'
import { atRate } from '../webhooks/steady-rate.ts'

const MODERATORS = 4
const DECISIONS_EACH_PER_SECOND = 10

/** What moderators decided, and how long each decision took. */
export interface Decisions {
  ids: string[]
  tookMs: number[]
  /** How many records were removed already. */
  missed: number
}

/** Lets moderators approve and reject records in turn, at a steady rate. Takes the records from the list. */
export async function moderate(
  client: Client,
  project: { team_id: string; project_id: string },
  { records, ...time }: { records: string[]; seconds?: number; signal?: AbortSignal },
): Promise<Decisions> {
  const decisions: Decisions = { ids: [], tookMs: [], missed: 0 }
  const decide = async (number: number) => {
    const id = records.pop()
    if (id === undefined) throw new Error('There are too few records to moderate.')
    const startedMs = performance.now()
    try {
      await client.submissions[number % 2 === 0 ? 'approve' : 'reject']({ ...project, submission_id: id })
      decisions.tookMs.push(performance.now() - startedMs)
      decisions.ids.push(id)
    } catch (error) {
      if (!(error instanceof EarshotApiError && error.status === 404)) throw error
      decisions.missed += 1
    }
  }
  await atRate({ perSecond: MODERATORS * DECISIONS_EACH_PER_SECOND, ...time }, decide)
  return decisions
}
