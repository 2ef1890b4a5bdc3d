import type { Team } from '../../support/people.ts'
import type { ServiceProcess } from '../../support/service-process.ts'
import { type Acknowledged, publicSubmission } from '../load.ts'

const MAX_UNDER_WAY = 200

export interface Publisher {
  acknowledged: Acknowledged
  /** Requests that were refused or have an unknown outcome. */
  failed: () => number
  stop: () => Promise<void>
}

/** Creates and approves submissions at a steady rate of changes a second, each an event, without retries. */
export function startPublisher(api: () => ServiceProcess | null, teams: readonly Team[], perSecond: number): Publisher {
  const acknowledged: Acknowledged = { created: [], approved: [] }
  const underWay = new Set<Promise<void>>()
  let turn = 0
  let failed = 0

  async function publish(service: ServiceProcess, team: Team): Promise<void> {
    const created = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
    if (created.status !== 201) throw new Error('Refused')
    acknowledged.created.push(created.body.id)
    const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/${created.body.id}/approve/`
    const approved = await service.send('POST', path, { token: team.token })
    if (approved.status !== 200) throw new Error('Refused')
    acknowledged.approved.push(created.body.id)
  }

  function begin(): void {
    const service = api()
    const team = teams[turn % teams.length]
    turn += 1
    if (!service || !team || underWay.size >= MAX_UNDER_WAY) return
    const publishing = publish(service, team)
      .catch(() => {
        failed += 1
      })
      .then(() => void underWay.delete(publishing))
    underWay.add(publishing)
  }

  const timer = setInterval(begin, 2_000 / perSecond)
  return {
    acknowledged,
    failed: () => failed,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}
