import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isRefusal } from '../api.ts'
import { useHasRole, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Empty } from '../ui/empty.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { NotInPlan, useHasFeature } from '../ui/not-in-plan.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { DropFile } from './drop-file.tsx'
import { Exports } from './exports.tsx'
import { importsQuery } from './imports-query.ts'
import { countOf, type Import, presetName, stateOf } from './words.ts'
import './imports.css'

/** Brings testimonials from other services, and takes what is here elsewhere. */
export function Imports() {
  const isMember = useHasRole('member')
  return (
    <Page title="Imports and exports" lead="Bring testimonials from another service or a spreadsheet, or take your data with you.">
      <ImportsPart isMember={isMember} />
      {isMember && <Exports />}
    </Page>
  )
}

function ImportsPart({ isMember }: { isMember: boolean }) {
  const isIncluded = useHasFeature('imports')
  const query = useInfiniteQuery({ ...importsQuery(useProjectRef()), enabled: isIncluded })
  if (!isIncluded || isRefusal(query.error, 'feature_not_in_plan'))
    return <NotInPlan what="imports">Imports read CSV files of other services and spreadsheets.</NotInPlan>
  return (
    <>
      {isMember && <DropFile />}
      <Section title="Earlier imports">
        <Loaded query={query}>
          {({ pages }) => <ImportList imports={pages.flatMap(({ results }) => results)} isWhole={!query.hasNextPage} />}
        </Loaded>
        <More query={query} />
      </Section>
    </>
  )
}

/** Checks without an import after them are left out, but for the newest, where somebody may want to go on. */
function ImportList({ imports, isWhole }: { imports: readonly Import[]; isWhole: boolean }) {
  const shown = imports.filter(({ dry_run }, index) => !dry_run || index === 0)
  if (shown.length === 0 && isWhole)
    return (
      <Empty icon="import" title="No imports yet">
        What you import arrives in the inbox, where you approve or reject it. An import can be undone.
      </Empty>
    )
  return (
    <ul className="import-list">
      {shown.map((one) => (
        <li key={one.id}>
          <ImportLine one={one} />
        </li>
      ))}
    </ul>
  )
}

function ImportLine({ one }: { one: Import }) {
  const place = { team: useTeam().slug, project: useProject().slug }
  const { text, look } = stateOf(one)
  const { created, updated, failed } = one.totals
  return (
    <Link to="/$team/$project/imports/$import" params={{ ...place, import: one.id }}>
      <strong dir="auto">{one.file_name}</strong>
      <span className={`tag ${look}`}>{text}</span>
      <span className="soft">
        {one.preset && `${presetName(one.preset)} · `}
        {one.dry_run ? 'not imported yet' : `${created.toLocaleString('en')} new`}
        {updated > 0 && ` · ${updated.toLocaleString('en')} updated`}
        {failed > 0 && ` · ${countOf(failed, 'row')} failed`}
      </span>
      <span className="soft">
        <Ago at={one.created_at} />
      </span>
    </Link>
  )
}
