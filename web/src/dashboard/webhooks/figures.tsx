import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Ago } from '../ui/time.tsx'
import { RANGES } from './address.ts'
import { AttemptsChart } from './attempts-chart.tsx'
import { statsQuery } from './queries.ts'
import type { Endpoint, Stats } from './records.ts'
import { durationInWords, shareInWords } from './words.ts'
import './figures.css'

const NAMES = { 1: '24 hours', 7: '7 days', 30: '30 days' } as const
const CAUSES = [
  { cause: 'response', words: 'responded, but not with 2xx' },
  { cause: 'timeout', words: 'took too long' },
  { cause: 'connection', words: 'gave no valid response' },
  { cause: 'interrupted', words: 'were interrupted by a stop of the service' },
] as const
const route = getRouteApi('/$team/-/webhooks/$webhook')

/** How deliveries to an endpoint go: attempts by hour and outcome, how long they take, and what waits. */
export function Figures({ endpoint }: { endpoint: Endpoint }) {
  const { days = 1 } = route.useSearch()
  const query = useQuery(statsQuery({ team_id: endpoint.team_id, webhook_id: endpoint.id }, days))
  return (
    <section aria-label="Figures">
      <nav className="ranges" aria-label="Range">
        {RANGES.map((range) => (
          <Link
            key={range}
            from="/$team/-/webhooks/$webhook"
            to="."
            search={{ tab: 'figures', days: range }}
            aria-current={range === days ? 'true' : undefined}
            activeOptions={{ exact: true }}
            resetScroll={false}
          >
            {NAMES[range]}
          </Link>
        ))}
      </nav>
      <Loaded query={query} skeleton={<Skeleton rows={2} height="8rem" />}>
        {(stats) => <KnownFigures stats={stats} range={NAMES[days]} />}
      </Loaded>
    </section>
  )
}

function KnownFigures({ stats, range }: { stats: Stats; range: string }) {
  const { totals, backlog } = stats
  return (
    <div className="stack">
      <dl className="tiles">
        <Tile name="Attempts" value={totals.attempts.toLocaleString('en')} />
        <Tile name="Succeeded" value={shareInWords(totals.success_share)} />
        <Tile name="Typical time" value={durationOf(totals.p50_ms)} note="half took no longer (p50)" />
        <Tile name="Slow attempts" value={durationOf(totals.p95_ms)} note="95% took no longer (p95)" />
        <Tile name="Slowest attempts" value={durationOf(totals.p99_ms)} note="99% took no longer (p99)" />
        <Tile
          name="Waiting now"
          value={backlog.pending.toLocaleString('en')}
          note={
            backlog.oldest_due_at === null ? (
              'none is due'
            ) : (
              <>
                the oldest is due since <Ago at={backlog.oldest_due_at} />
              </>
            )
          }
        />
      </dl>
      {totals.attempts === 0 ? (
        <Empty icon="chart" title={`Nothing was sent in ${range}`}>
          Choose a longer range, or send a test: it counts here too.
        </Empty>
      ) : (
        <>
          <AttemptsChart stats={stats} />
          <Failures totals={totals} />
        </>
      )}
    </div>
  )
}

function Tile({ name, value, note }: { name: string; value: string; note?: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {note !== undefined && <span className="soft">{note}</span>}
      </dd>
    </div>
  )
}

function Failures({ totals }: { totals: Stats['totals'] }) {
  if (totals.failed === 0) return <p className="soft">No attempt failed.</p>
  const causes = CAUSES.flatMap(({ cause, words }) => {
    const count = totals.causes[cause]
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${words}`]
  })
  return (
    <p>
      {totals.failed.toLocaleString('en')} failed: {causes.join(', ')}. Another attempt follows for {totals.retried.toLocaleString('en')};{' '}
      {totals.final.toLocaleString('en')} ended their delivery.
    </p>
  )
}

function durationOf(ms: number | null): string {
  return ms === null ? '–' : durationInWords(ms)
}
