import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isRefusal } from '../api.ts'
import { useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { BackLink } from '../ui/back-link.tsx'
import { Note } from '../ui/error-note.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { NotInPlan, useHasFeature } from '../ui/not-in-plan.tsx'
import { Page } from '../ui/page.tsx'
import { Exact } from './exact.tsx'
import { FailedRows } from './failed-rows.tsx'
import { importQuery, noteRecordsChanged } from './imports-query.ts'
import { Progress } from './progress.tsx'
import { Result } from './result.tsx'
import { Review } from './review.tsx'
import { type Import, isMoving, presetName, stateOf } from './words.ts'
import './imports.css'

/** One import: what it would bring, how far it is, and what it brought. */
export function ImportPage() {
  const { import: id = '' } = useParams({ strict: false })
  const ref = useProjectRef()
  const isIncluded = useHasFeature('imports')
  const query = useQuery({ ...importQuery(ref, id), enabled: isIncluded })
  const { project_id } = ref
  const isRunning = query.data !== undefined && isMoving(query.data)
  useEffect(() => (isRunning ? () => void noteRecordsChanged(project_id) : undefined), [isRunning, project_id])
  return (
    <Page title={query.data?.file_name ?? 'Import'} back={<Back />} width="wide">
      {!isIncluded || isRefusal(query.error, 'feature_not_in_plan') ? (
        <NotInPlan what="imports">Imports read CSV files of other services and spreadsheets.</NotInPlan>
      ) : (
        <Loaded query={query}>{(one) => <Opened one={one} />}</Loaded>
      )}
    </Page>
  )
}

function Back() {
  const place = { team: useTeam().slug, project: useProject().slug }
  return (
    <BackLink to="/$team/$project/imports" params={place}>
      All imports
    </BackLink>
  )
}

function Opened({ one }: { one: Import }) {
  const { text, look } = stateOf(one)
  return (
    <div className="stack">
      <p className="row">
        <span className={`tag ${look}`} role="status">
          {text}
        </span>
        {one.preset && <span className="tag">Recognized: {presetName(one.preset)}</span>}
        <Exact at={one.created_at} sizeBytes={one.size_bytes} />
      </p>
      <Body one={one} />
    </div>
  )
}

function Body({ one }: { one: Import }) {
  if (one.state === 'reserved')
    return (
      <Note look="warn">
        The file has not arrived: the upload was cut off, or still runs in another tab. Choose the file again to start over.
      </Note>
    )
  if (isMoving(one)) return <Progress one={one} />
  if (one.dry_run) return <Review key={one.id} one={one} />
  return (
    <>
      <Result one={one} />
      {one.totals.failed > 0 && <FailedRows one={one} />}
    </>
  )
}
