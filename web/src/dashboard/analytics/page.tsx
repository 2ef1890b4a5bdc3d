import './analytics.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api.ts'
import { useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Figures } from './figures.tsx'
import { NpsParts } from './nps.tsx'
import { daysOf, intervalOf, presetOf, type Range, readRange } from './range.ts'
import { Arrivals, Shares } from './submissions.tsx'

const PLACE = '/$team/$project/analytics'
const PRESETS = [
  { preset: '7d', text: '7 days' },
  { preset: '30d', text: '30 days' },
  { preset: '90d', text: '90 days' },
  { preset: '365d', text: '12 months' },
] as const

/** What arrived in the project, and how likely customers are to recommend it. */
export function Analytics() {
  const range = useSearch({ from: PLACE })
  const ref = useProjectRef()
  const { settings } = useTeam()
  const days = daysOf(range, settings.timezone)
  const interval = intervalOf(days)
  const overview = useQuery({
    queryKey: ['analytics', ref.project_id, days],
    queryFn: () => api.analytics.overview({ ...ref, ...days }),
    placeholderData: keepPreviousData,
  })
  const nps = useQuery({
    queryKey: ['nps', ref.project_id, days, interval],
    // While another range is read, the last one is shown in its own periods.
    queryFn: async () => ({ nps: await api.analytics.nps({ ...ref, ...days, interval }), interval }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title="Analytics" lead={`Days begin in the time zone of the team, ${settings.timezone}.`} width="wide">
      <RangeBar range={range} days={days} error={overview.error} />
      <Loaded query={overview} skeleton={<OverviewSkeleton />}>
        {(figures) => (
          <>
            <Figures figures={figures} />
            <Section title="Submissions" lead="What visitors sent, and what your team and programs added.">
              {figures.current.submissions.total === 0 ? <NoSubmissions /> : <Arrivals figures={figures} />}
            </Section>
            {figures.current.submissions.total > 0 && <Shares figures={figures.current.submissions} />}
          </>
        )}
      </Loaded>
      <Section title="Net Promoter Score" lead="How likely customers are to recommend you, from the surveys of this project: −100 to 100.">
        <Loaded query={nps} skeleton={<Skeleton rows={1} height="16rem" />}>
          {(shown) => <NpsParts {...shown} />}
        </Loaded>
      </Section>
    </Page>
  )
}

/** The shape of the figures and the first chart. */
function OverviewSkeleton() {
  return (
    <div className="overview-skeleton">
      <Skeleton rows={1} height="6.75rem" />
      <Skeleton rows={1} height="19rem" />
    </div>
  )
}

interface RangeBarProps {
  range: Range
  days: { from: string; to: string }
  error: unknown
}

function RangeBar({ range, days, error }: RangeBarProps) {
  const chosen = presetOf(range)
  return (
    <div className="range-bar">
      <nav aria-label="Range">
        {PRESETS.map(({ preset, text }) => (
          <Link
            key={preset}
            from={PLACE}
            search={readRange({ range: preset })}
            activeOptions={{ exact: true }}
            data-chosen={preset === chosen || undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      <DatesForm key={`${days.from} ${days.to}`} days={days} error={error} />
    </div>
  )
}

function DatesForm({ days, error }: Omit<RangeBarProps, 'range'>) {
  const navigate = useNavigate({ from: PLACE })
  const [from, setFrom] = useState(days.from)
  const [to, setTo] = useState(days.to)
  const errors = fieldErrors(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ search: { from, to } })
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label="From"
        type="date"
        value={from}
        max={to}
        required
        onChange={({ target }) => setFrom(target.value)}
        error={errors.get('from')}
      />
      <TextField
        label="To"
        type="date"
        value={to}
        min={from}
        required
        onChange={({ target }) => setTo(target.value)}
        error={errors.get('to')}
      />
      <Button type="submit">Show</Button>
    </form>
  )
}

function NoSubmissions() {
  return (
    <Empty icon="chart" title="Nothing arrived in this time">
      Choose a longer range, or share the link of your form with customers.
    </Empty>
  )
}
