import { setTimeout as delay } from 'node:timers/promises'
import type { Team } from '../../support/people.ts'
import type { ServiceProcess } from '../../support/service-process.ts'

const REST_MS = 250
const PAGE = 100

export interface Follower {
  /** Ids of a team’s events, in the order read. */
  followed: (teamId: string) => string[]
  /** Reads to the end of the feed, and no further. */
  stop: () => Promise<void>
}

/** Follows the change feed of each team by its cursor alone, despite all faults. */
export function startFollower(api: () => ServiceProcess | null, teams: readonly Team[]): Follower {
  const read = new Map<string, string[]>(teams.map(({ id }) => [id, []]))
  let isStopping = false

  async function follow(team: Team): Promise<void> {
    let cursor: string | undefined
    for (;;) {
      const isLast = isStopping
      const page = await api()
        ?.client(team.token)
        .events.list({ team_id: team.id, limit: PAGE, ...(cursor !== undefined && { cursor }) })
        .catch(() => null)
      for (const { id } of page?.results ?? []) read.get(team.id)?.push(id)
      cursor = page?.next_cursor ?? cursor
      if (page && page.results.length < PAGE) {
        if (isLast) return
        await delay(REST_MS)
      }
      if (!page) await delay(REST_MS)
    }
  }

  const following = Promise.all(teams.map(follow))
  return {
    followed: (teamId) => read.get(teamId) ?? [],
    async stop() {
      isStopping = true
      await following
    },
  }
}
