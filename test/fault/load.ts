import { randomUUID } from 'node:crypto'
import type { Team } from '../support/people.ts'
import type { Received } from '../support/receiver.ts'
import type { ServiceProcess } from '../support/service-process.ts'

/** Changes that a client got a success for. */
export interface Acknowledged {
  created: string[]
  approved: string[]
}

export interface Load {
  acknowledged: Acknowledged
  /** Stops sending. Resolves when the last request has its response or failed. */
  stop: () => Promise<void>
}

/** Returns a public submission, never the same twice. */
export function publicSubmission() {
  return { body: `Saved us a week. ${randomUUID()}`, author: { name: 'Ada' }, consent: { granted: true } }
}

/** Creates and approves submissions as fast as the service responds, until it is gone or the load is stopped. */
export function startLoad(service: ServiceProcess, team: Team, { clients = 4 } = {}): Load {
  const acknowledged: Acknowledged = { created: [], approved: [] }
  let isStopped = false

  async function work(): Promise<void> {
    while (!isStopped) {
      const created = await service.send('POST', `/api/public/v1/projects/${team.publicKey}/submissions/`, { body: publicSubmission() })
      if (created.status !== 201) return
      acknowledged.created.push(created.body.id)
      const path = `/api/v1/teams/${team.id}/projects/${team.project.project_id}/submissions/${created.body.id}/approve/`
      const approved = await service.send('POST', path, { token: team.token })
      if (approved.status !== 200) return
      acknowledged.approved.push(created.body.id)
    }
  }

  const working = Array.from({ length: clients }, () => work().catch(() => {}))
  return {
    acknowledged,
    async stop() {
      isStopped = true
      await Promise.all(working)
    },
  }
}

/** Maps each received event, as `type submission`, to its delivery ids. */
export function deliveriesByEvent(requests: readonly Received[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { headers, body } of requests) {
    const { type, data } = JSON.parse(body.toString()) as { type: string; data: { submission: { id: string } } }
    const key = `${type} ${data.submission.id}`
    found.set(key, (found.get(key) ?? new Set()).add(String(headers['x-service-delivery'])))
  }
  return found
}

/** Returns the acknowledged changes that the receiver did not get. */
export function undelivered({ created, approved }: Acknowledged, requests: readonly Received[]): string[] {
  const heard = deliveriesByEvent(requests)
  const promised = [...created.map((id) => `submission.created ${id}`), ...approved.map((id) => `submission.approved ${id}`)]
  return promised.filter((key) => !heard.has(key))
}
