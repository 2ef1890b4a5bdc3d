import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@earshot/contracts/client'
import type { Sql } from 'postgres'
import { openPlain } from '../plain-client.ts'
import { type PartReport, table } from '../report.ts'
import { startService } from '../service-process.ts'
import { analyze, createTeams, openBenchDatabase, type Team } from '../teams.ts'
import { createTemporaryDirectory } from '../temporary-directory.ts'

const EMAIL = 'ada.lovelace@example.com'
const OWN = 5
const GOAL_SECONDS = 60
const POLL_MS = 20

/** Measures an erasure in a team with so many submissions, events, deliveries and attempts of others. */
export async function benchErasure({ submissions }: { submissions: number }): Promise<PartReport> {
  using directory = createTemporaryDirectory()
  await using service = await startService(directory.path)
  await using database = openBenchDatabase(service.address)
  const [team] = (await createTeams(database, 1)) as [Team]
  const { privacy, submissions: own, webhooks } = createClient({ baseUrl: service.url, token: team.token })
  const { id: webhook_id } = await webhooks.create({ team_id: team.id, url: 'https://hooks.example.com/', events: ['*'] })
  await webhooks.update({ team_id: team.id, webhook_id, state: 'paused' })
  const plain = openPlain(service.address, 1, { session_replication_role: 'replica' })
  await fill(plain, team, { webhook_id, count: submissions })
  await plain.end()
  await analyze(database)
  const ref = { team_id: team.id, project_id: team.project_id }
  for (let number = 0; number < OWN; number += 1)
    await own.create({ ...ref, body: `Number ${number}`, author: { name: 'Ada', email: EMAIL } })

  const startedMs = performance.now()
  const { id: request_id } = await privacy.erase({ team_id: team.id, email: EMAIL })
  const requestMs = performance.now() - startedMs
  const steps = await watch(database.client, team)
  const seconds = (performance.now() - startedMs) / 1000
  const { counts } = await privacy.requests.retrieve({ team_id: team.id, request_id })
  if (counts.submissions !== OWN || counts.events !== OWN) throw new Error(`The erasure found ${JSON.stringify(counts)}.`)
  return {
    title: `An erasure beside ${submissions} submissions, events, deliveries and attempts each`,
    findings: [
      { what: 'request, with the records that the indexes find', figure: `${requestMs.toFixed(0)} ms`, goal: '', met: null },
      {
        what: 'until the last trace is gone',
        figure: `${seconds.toFixed(1)} s`,
        goal: `≤ ${GOAL_SECONDS} s`,
        met: seconds <= GOAL_SECONDS,
      },
    ],
    details: [
      table(
        ['step', 'seconds'],
        [...steps].map(([step, ms]) => [step, (ms / 1000).toFixed(1)]),
      ),
    ],
  }
}

/** Waits for the end; returns how long each step took. */
async function watch(client: Sql, { id }: Team): Promise<Map<string, number>> {
  const steps = new Map<string, number>()
  let lastMs = performance.now()
  for (;;) {
    const [row] = await client<{ state: string; step: string | null }[]>`select state, step from privacy_requests where team_id = ${id}`
    if (row?.state === 'completed') return steps
    await delay(POLL_MS)
    const nowMs = performance.now()
    steps.set(row?.step ?? '', (steps.get(row?.step ?? '') ?? 0) + nowMs - lastMs)
    lastMs = nowMs
  }
}

/** Inserts records of the last day, of as many people. Triggers are off: the figures do not matter here. */
async function fill(client: Sql, team: Team, { webhook_id, count }: { webhook_id: string; count: number }): Promise<void> {
  const age = client`make_interval(secs => -3600 - i * 36000.0 / ${count}::int)`
  await client`
    insert into submissions (team_id, project_id, id, kind, state, channel, title, body, rating, author_name, author_email, author_company, consent_granted, metadata)
    select ${team.id}, ${team.project_id}, uuidv7(${age}), 'text', 'approved', 'public', 'Worth every minute',
           repeat('Saved us a week, and more than that. ', 5), 5, 'Author ' || i, 'author' || i || '@example.com', 'Analytical Engines', true, '{"page": "/pricing"}'
      from generate_series(1, ${count}::int) i`
  await client`
    insert into events (team_id, id, project_id, type, payload, payload_sha256)
    select s.team_id, uuidv7(uuid_extract_timestamp(s.id) - clock_timestamp()), s.project_id, 'submission.created',
           event_body(s.id, s.team_id, s.project_id, 'submission.created', json_build_object('submission', submission_payload(s))), repeat('0', 64)
      from submissions s`
  await client`
    insert into webhook_delivery_history (team_id, id, endpoint_id, event_id, event_type, payload_sha256, state, trigger, attempt_count, finished_at)
    select e.team_id, uuidv7(uuid_extract_timestamp(e.id) - clock_timestamp()), ${webhook_id}, e.id, e.type, e.payload_sha256, 'succeeded', 'auto', 1, now()
      from events e`
  await client`
    insert into webhook_attempts (team_id, id, delivery_id, endpoint_id, number, trigger, worker_id, started_at, finished_at, status_code, response_headers, response_body)
    select d.team_id, uuidv7(uuid_extract_timestamp(d.id) - clock_timestamp()), d.id, d.endpoint_id, 1, 'auto', 1, now(), now(), 200, '{"content-type": "text/plain"}', 'ok'
      from webhook_delivery_history d`
  await client`
    insert into audit_entries (team_id, id, project_id, action, target_type, target_id, changes)
    select s.team_id, uuidv7(uuid_extract_timestamp(s.id) - clock_timestamp()), s.project_id, 'submission.approved', 'submission', s.id, '{"state": {"from": "pending", "to": "approved"}}'
      from submissions s`
}
