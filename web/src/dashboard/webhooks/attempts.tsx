import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { ListSkeleton } from '../ui/skeleton.tsx'
import { Ago } from '../ui/time.tsx'
import { AttemptFilters } from './filters.tsx'
import { StatusTag } from './marks.tsx'
import { attemptsQuery } from './queries.ts'
import type { Attempt, Endpoint } from './records.ts'
import { durationInWords, explainAttempt, TRIGGERS } from './words.ts'

const route = getRouteApi('/$team/-/webhooks/$webhook')

/** Every request to an endpoint, newest first, with what came back. */
export function Attempts({ endpoint }: { endpoint: Endpoint }) {
  const query = useInfiniteQuery(attemptsQuery({ team_id: endpoint.team_id, webhook_id: endpoint.id }, route.useSearch()))
  return (
    <section aria-label="Attempts">
      <AttemptFilters
        actions={
          <Button icon="refresh" isBusy={query.isRefetching} onClick={() => void query.refetch()}>
            Refresh
          </Button>
        }
      />
      <Loaded query={query} skeleton={<ListSkeleton />}>
        {({ pages }) => <AttemptList attempts={pages.flatMap(({ results }) => results)} />}
      </Loaded>
      <More query={query} />
    </section>
  )
}

function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0)
    return (
      <Empty icon="hook" title="No attempt matches">
        Each request to the endpoint appears here and is kept for 30 days. Clear the filters, or send a test.
      </Empty>
    )
  return (
    <ul className="records">
      {attempts.map((attempt) => (
        <li key={attempt.id}>
          <Link
            className="record delivery-row"
            from="/$team/-/webhooks/$webhook"
            to="."
            search={{ tab: 'deliveries', item: attempt.delivery_id }}
            activeOptions={{ exact: true }}
          >
            <StatusTag attempt={attempt} />
            <span className="what">
              <strong>{explainAttempt(attempt).what}</strong>
              <span className="soft">
                {TRIGGERS[attempt.trigger]} · attempt {attempt.number}
                {attempt.duration_ms !== null && ` · ${durationInWords(attempt.duration_ms)}`}
                {attempt.remote_ip !== null && ` · ${attempt.remote_ip}`}
              </span>
            </span>
            <Ago at={attempt.started_at} />
          </Link>
        </li>
      ))}
    </ul>
  )
}
