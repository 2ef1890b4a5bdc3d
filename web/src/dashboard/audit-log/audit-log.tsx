import type { Client } from '@earshot/contracts/client'
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, type Item } from '../api.ts'
import { AdminsOnly, NotInPlan, useLacksFeature } from '../shell/admins-only.tsx'
import { projectsQuery, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Face } from '../ui/face.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { plainName } from '../ui/names.ts'
import { useHasFeature } from '../ui/not-in-plan.tsx'
import { Page } from '../ui/page.tsx'
import { PeriodField } from '../ui/period-field.tsx'
import { ListSkeleton } from '../ui/skeleton.tsx'
import { At } from '../ui/time.tsx'
import { defined, instantOf } from '../webhooks/address.ts'
import { auditActions } from './actions.ts'
import type { AuditSearch } from './address.ts'
import { useTargetNames } from './use-target-names.ts'
import { actionInWords, changesOf, credentialInWords } from './words.ts'
import '../webhooks/webhooks.css'
import './audit-log.css'

type Entry = Item<Client['teams']['auditLog']['list']>

const PAGE = 50
const ANY = ''
/** A longer value, such as a list of scopes, is folded. */
const LONG = 160
const route = getRouteApi('/$team/-/audit-log')

/** Who changed what in the team, and when. */
export function AuditLog() {
  return (
    <AdminsOnly title="Audit log">
      <Log />
    </AdminsOnly>
  )
}

const entriesQuery = (team_id: string, { action, after, before }: AuditSearch) => {
  const filters = defined({ action, created_after: instantOf(after), created_before: instantOf(before) })
  return infiniteQueryOptions({
    queryKey: ['audit-log', team_id, filters],
    queryFn: ({ pageParam }) => api.teams.auditLog.list({ team_id, ...filters, limit: PAGE, ...defined({ cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
}

function Log() {
  const team = useTeam()
  const search = route.useSearch()
  const query = useInfiniteQuery({ ...entriesQuery(team.id, search), enabled: useHasFeature('audit_log') })
  const entries = query.data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <Page title="Audit log" lead="Who changed what, and when. Entries are kept for a year and cannot be changed." width="wide">
      {useLacksFeature('audit_log', query.error) ? (
        <NotInPlan what="audit log" />
      ) : (
        <>
          <Filters />
          <Loaded query={query} skeleton={<ListSkeleton height="4rem" hasFace />}>
            {() => <Entries entries={entries} isFiltered={Object.keys(search).length > 0} />}
          </Loaded>
          <More query={query} />
        </>
      )}
    </Page>
  )
}

function Filters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: { [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined }) =>
    void navigate({ search: defined({ ...search, ...change }), replace: true, resetScroll: false })
  return (
    <search className="filters">
      <SelectField
        label="Action"
        value={search.action ?? ANY}
        options={actionOptions(search.action)}
        onChange={({ target }) => set({ action: target.value || undefined })}
      />
      <PeriodField
        type="datetime-local"
        from={search.after ?? ''}
        to={search.before ?? ''}
        onChange={({ from, to }) => set({ after: from || undefined, before: to || undefined })}
      />
      <TextField
        label="From"
        type="datetime-local"
        value={search.after ?? ''}
        onChange={({ target }) => set({ after: target.value || undefined })}
      />
      <TextField
        label="To"
        type="datetime-local"
        value={search.before ?? ''}
        onChange={({ target }) => set({ before: target.value || undefined })}
      />
      {Object.keys(search).length > 0 && (
        <div className="row">
          <Button onClick={() => void navigate({ search: {}, replace: true })}>Clear filters</Button>
        </div>
      )}
    </search>
  )
}

/** All actions in words; also one of a link that is not known here. */
function actionOptions(chosen: string | undefined) {
  const codes = chosen === undefined || auditActions.includes(chosen) ? auditActions : [chosen, ...auditActions]
  return [{ value: ANY, label: 'Any action' }, ...codes.map((code) => ({ value: code, label: actionInWords(code) }))]
}

function Entries({ entries, isFiltered }: { entries: readonly Entry[]; isFiltered: boolean }) {
  const names = useTargetNames(entries)
  if (entries.length === 0)
    return (
      <Empty icon="log" title={isFiltered ? 'No entry matches' : 'No entry yet'}>
        {isFiltered ? 'Change or clear the filters.' : 'Changes to the team, its members, projects and webhooks appear here.'}
      </Empty>
    )
  return (
    <ol className="records">
      {entries.map((entry) => (
        <li key={entry.id}>
          <EntryRow entry={entry} name={entry.target.id === null ? undefined : names.get(entry.target.id)} />
        </li>
      ))}
    </ol>
  )
}

function EntryRow({ entry, name }: { entry: Entry; name: string | undefined }) {
  const { data: projects = [] } = useQuery(projectsQuery(useTeam().id))
  const { actor, credential, action, target, project_id, ip, at } = entry
  const who = actor?.name ?? (credential?.kind === 'system' ? 'The service' : 'A deleted account')
  const project = projects.find(({ id }) => id === project_id)
  return (
    <article className="entry">
      <Face name={who} />
      <div className="what">
        <p>
          <strong dir="auto">{who}</strong> · <span>{actionInWords(action)}</span>
          {name !== undefined && target.id !== project_id && (
            <>
              {': '}
              <bdi>{plainName(name)}</bdi>
            </>
          )}
          {project && (
            <>
              {' in '}
              <bdi>{project.name}</bdi>
            </>
          )}
        </p>
        <div className="about">
          <Changes changes={entry.changes} />
          <p className="soft">
            {credential && credentialInWords(credential.kind)}
            {ip !== null && ` · ${ip}`}
          </p>
          {target.id !== null && (
            <details>
              <summary>Id</summary>
              {target.type.replaceAll('_', ' ')} <code>{target.id}</code>
            </details>
          )}
        </div>
      </div>
      <div className="when">
        <At at={at} />
        <code>{action}</code>
      </div>
    </article>
  )
}

function Changes({ changes }: { changes: Entry['changes'] }) {
  const rows = changesOf(changes)
  if (rows.length === 0) return null
  return (
    <dl className="changes">
      {rows.map(({ field, from, to }) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>
            {from !== null && (
              <>
                <bdi>{from}</bdi> <span aria-hidden="true">→</span>
                <span className="sr">became</span>{' '}
              </>
            )}
            {to.length > LONG ? (
              <details>
                <summary>{to.split(', ').length} values</summary>
                <bdi>{to}</bdi>
              </details>
            ) : (
              <bdi>{to}</bdi>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
