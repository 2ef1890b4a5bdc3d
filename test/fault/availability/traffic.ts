import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Team } from '../../support/people.ts'
import type { Span } from '../durability/fleet.ts'
import { type Acknowledged, publicSubmission } from '../load.ts'

const CLIENTS_PER_TEAM = 3
/** Between two requests of a client. */
const REST_MS = 40
/** How long a client waits for a response. */
const PATIENCE_MS = 30_000

/** A request without the response that it should have. */
export interface Failure extends Span {
  what: string
}

export interface Traffic {
  acknowledged: Acknowledged
  failures: Failure[]
  requests: () => number
  /** Resolves when the last request has its response or failed. */
  stop: () => Promise<void>
}

interface Request {
  method?: string
  path: string
  token?: string
  body?: unknown
}

/** Does through one address what the visitors and the backends of teams do all day, without retries. */
export function startTraffic(url: string, teams: readonly Team[]): Traffic {
  const acknowledged: Acknowledged = { created: [], approved: [] }
  const failures: Failure[] = []
  let requests = 0
  let isStopped = false

  /** Sends a request. Returns the body of a success. */
  async function ask<Body>({ method = 'GET', path, token, body }: Request): Promise<Body | null> {
    const fromMs = Date.now()
    requests += 1
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(token !== undefined && method === 'POST' && { 'idempotency-key': randomUUID() }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} ${text}`)
      return JSON.parse(text)
    } catch (error) {
      failures.push({ fromMs, toMs: Date.now(), what: `${method} ${path}: ${describe(error)}` })
      return null
    } finally {
      await delay(REST_MS)
    }
  }

  async function work({ id, token, publicKey, project: { project_id } }: Team): Promise<void> {
    const submissions = `/api/v1/teams/${id}/projects/${project_id}/submissions/`
    const visitors = `/api/public/v1/projects/${publicKey}`
    while (!isStopped) {
      const left = await ask<{ id: string }>({ method: 'POST', path: `${visitors}/submissions/`, body: publicSubmission() })
      const imported = await ask<{ id: string }>({ method: 'POST', path: submissions, token, body: publicSubmission() })
      for (const created of [left, imported]) {
        if (!created) continue
        acknowledged.created.push(created.id)
        if (await ask({ method: 'POST', path: `${submissions}${created.id}/approve/`, token })) acknowledged.approved.push(created.id)
        await ask({ path: `${submissions}${created.id}/`, token })
      }
      await ask({ path: `${submissions}?limit=25`, token })
      await ask({ path: `${visitors}/items/` })
      await ask({ path: `/api/v1/teams/${id}/events/?limit=5`, token })
    }
  }

  const working = Promise.all(teams.flatMap((team) => Array.from({ length: CLIENTS_PER_TEAM }, () => work(team))))
  return {
    ...{ acknowledged, failures, requests: () => requests },
    async stop() {
      isStopped = true
      await working
    },
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
