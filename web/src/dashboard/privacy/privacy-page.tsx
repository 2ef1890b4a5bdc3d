import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { isRefusal } from '../api.ts'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { NotInPlan, useHasFeature } from '../ui/not-in-plan.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { EraseForm } from './erase-form.tsx'
import { ExportForm } from './export-form.tsx'
import { type PrivacyRequest, requestsQuery } from './privacy-query.ts'
import { RequestDialog } from './request-dialog.tsx'
import './privacy.css'

/** Gives people what the team keeps of them, and erases it, by e-mail address. */
export function Privacy() {
  const isAdmin = useHasRole('admin')
  return (
    <Page title="Privacy requests" lead="When a person asks what you keep of them, or asks you to erase it.">
      {isAdmin ? (
        <Requests />
      ) : (
        <Empty icon="lock" title="Admins answer privacy requests">
          Ask an admin or an owner of the team.
        </Empty>
      )}
    </Page>
  )
}

function Requests() {
  const team = useTeam()
  const isIncluded = useHasFeature('privacy_requests')
  const query = useInfiniteQuery({ ...requestsQuery(team.id), enabled: isIncluded })
  const { request } = useSearch({ from: '/$team/-/privacy' })
  const navigate = useNavigate()
  const open = (id: string | undefined) =>
    void navigate({ to: '/$team/-/privacy', params: { team: team.slug }, search: id === undefined ? {} : { request: id } })
  if (!isIncluded || isRefusal(query.error, 'feature_not_in_plan'))
    return <NotInPlan what="privacy requests">Find and erase everything stored about a person.</NotInPlan>
  return (
    <>
      <div className="privacy-forms">
        <ExportForm />
        <EraseForm onErased={open} />
      </div>
      <Section title="Earlier requests" lead="Kept as proof. They name nobody.">
        <Loaded query={query}>{({ pages }) => <RequestList requests={pages.flatMap(({ results }) => results)} />}</Loaded>
        <More query={query} />
      </Section>
      {request !== undefined && <RequestDialog id={request} onClose={() => open(undefined)} />}
    </>
  )
}

function RequestList({ requests }: { requests: readonly PrivacyRequest[] }) {
  const team = useTeam()
  if (requests.length === 0)
    return (
      <Empty icon="shield" title="No requests yet">
        What you export or erase above is listed here.
      </Empty>
    )
  return (
    <ul className="requests">
      {requests.map(({ id, kind, state, requested_by, created_at }) => (
        <li key={id}>
          <Link to="/$team/-/privacy" params={{ team: team.slug }} search={{ request: id }}>
            <strong>{kind === 'erase' ? 'Erasure' : 'Export'}</strong>
            <span className={`tag ${state === 'completed' ? 'good' : ''}`}>{state === 'completed' ? 'Completed' : 'Running'}</span>
            <span className="soft">by {requested_by?.name ?? 'a deleted account'}</span>
            <span className="soft">
              <Ago at={created_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
