import type { Sql } from 'postgres'
import { request } from 'undici'
import { median } from '../figures.ts'
import type { ServiceProcess } from '../service-process.ts'
import type { Team } from '../teams.ts'
import type { Figure } from './figure.ts'
import type { MeasuredTeams } from './fill-teams.ts'

interface Case {
  what: string
  team: Team
  path: string
}

/** Times pages of lists over HTTP, as medians of warm requests. */
export async function measureLists(
  { url }: ServiceProcess,
  client: Sql,
  { teams, runs }: { teams: MeasuredTeams; runs: number },
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { what, team, path } of await casesOf(client, teams)) {
    const took: number[] = []
    for (let run = 0; run < runs * 1.2; run += 1) {
      const startedMs = performance.now()
      const { statusCode, body } = await request(`${url}/api/v1/teams/${team.id}/${path}`, {
        headers: { authorization: `Bearer ${team.token}` },
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`)
      took.push(performance.now() - startedMs)
    }
    figures.push({ what, value: median(took.slice(-runs)), unit: 'ms' })
  }
  return figures
}

async function casesOf(client: Sql, { large, small }: MeasuredTeams): Promise<Case[]> {
  const [middle] = await client<
    [{ submission: string; of_small: string; endpoint: string; delivery: string; attempt: string; position: string }]
  >`
    select s.id as submission, f.id as of_small, e.endpoint_id as endpoint, d.id as delivery, a.id as attempt, p.position
      from (select uuid_at(now() - interval '15 days') as day) m
     cross join lateral (
       select id from submissions where team_id = ${large.id} and project_id = ${large.project_id} and id < m.day order by id desc limit 1) s
     cross join lateral (
       select id from submissions where team_id = ${small.id} and project_id = ${small.project_id} order by id offset 100 limit 1) f
     cross join lateral (select endpoint_id from bench.endpoints where number = 1) e
     cross join lateral (
       select id from webhook_delivery_history where team_id = ${large.id} and endpoint_id = e.endpoint_id and id < m.day order by id desc limit 1) d
     cross join lateral (
       select id from webhook_attempts where team_id = ${large.id} and endpoint_id = e.endpoint_id and id < m.day order by id desc limit 1) a
     cross join lateral (
       select position from feed_positions where team_id = ${large.id} and position < feed_position_at(now() - interval '15 days')
        order by position desc limit 1) p`
  const webhook = `webhooks/${middle.endpoint}`
  const submissions = (team: Team, query = '') => ({ team, path: `projects/${team.project_id}/submissions/${query}` })
  const cursor = (id: string) => `?cursor=${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`
  return [
    { what: 'submissions of the large team', ...submissions(large) },
    { what: 'submissions of the large team, a page in the middle', ...submissions(large, cursor(middle.submission)) },
    { what: 'submissions of the large team by state', ...submissions(large, '?state=rejected') },
    { what: 'submissions of the large team by tag', ...submissions(large, '?tag=launch') },
    { what: 'submissions of the large team by rare tag and state', ...submissions(large, '?tag=rare&state=rejected') },
    { what: 'submissions of a small team', ...submissions(small) },
    { what: 'submissions of a small team, a page in the middle', ...submissions(small, cursor(middle.of_small)) },
    { what: 'submissions of a small team by state', ...submissions(small, '?state=rejected') },
    { what: 'submissions of a small team by tag', ...submissions(small, '?tag=launch') },
    { what: 'deliveries of the busiest endpoint', team: large, path: `${webhook}/deliveries/` },
    { what: 'deliveries of it, a page in the middle', team: large, path: `${webhook}/deliveries/${cursor(middle.delivery)}` },
    { what: 'deliveries of it by a state that none has', team: large, path: `${webhook}/deliveries/?state=failed` },
    { what: 'attempts of the busiest endpoint', team: large, path: `${webhook}/attempts/` },
    { what: 'attempts of it, a page in the middle', team: large, path: `${webhook}/attempts/${cursor(middle.attempt)}` },
    { what: 'attempts of it that failed', team: large, path: `${webhook}/attempts/?outcome=failed` },
    { what: 'events from the oldest on', team: large, path: 'events/' },
    { what: 'events, a page in the middle', team: large, path: `events/?cursor=f${BigInt(middle.position).toString(36)}` },
    { what: 'events of a type that never came', team: large, path: 'events/?types=submission.rejected' },
  ]
}
