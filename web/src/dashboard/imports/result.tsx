import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, queries } from '../api.ts'
import { useHasRole, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { importQuery, noteRecordsChanged } from './imports-query.ts'
import { Totals } from './totals.tsx'
import { countOf, type Import } from './words.ts'

/** After these an import goes on where it stopped. */
const RESUMABLE: readonly (string | undefined)[] = ['quota_exceeded', 'file_unavailable', 'internal_error']

/** What an import brought, and what can be done about it. */
export function Result({ one }: { one: Import }) {
  const isMember = useHasRole('member')
  const place = { team: useTeam().slug, project: useProject().slug }
  return (
    <div className="stack">
      {one.error && (
        <Note look="warn">
          <p>
            <strong>The import stopped.</strong> {one.error.detail}
          </p>
        </Note>
      )}
      {one.state === 'undone' && <Note>The import is undone. Testimonials that were already approved or rejected were kept.</Note>}
      <Totals one={one} />
      <div className="row">
        {one.totals.created > one.totals.removed && (
          <Link className="btn primary" to="/$team/$project/inbox" params={place}>
            Open the inbox
          </Link>
        )}
        {isMember && one.state === 'failed' && RESUMABLE.includes(one.error?.code) && <Resume one={one} />}
        {isMember && one.state !== 'undone' && one.totals.created > 0 && <Undo one={one} />}
      </div>
    </div>
  )
}

function Resume({ one }: { one: Import }) {
  const ref = useProjectRef()
  const resume = useMutation({
    mutationFn: () => api.imports.resume({ ...ref, import_id: one.id }),
    onSuccess: (resumed) => queries.setQueryData(importQuery(ref, one.id).queryKey, resumed),
  })
  return (
    <>
      <Button isBusy={resume.isPending} onClick={() => resume.mutate()}>
        Resume
      </Button>
      {resume.error && <ErrorNote error={resume.error} />}
    </>
  )
}

/** Takes an import back, as far as nobody has decided on its records. */
function Undo({ one }: { one: Import }) {
  const ref = useProjectRef()
  const [isAsking, setIsAsking] = useState(false)
  const undo = async () => {
    const undone = await api.imports.undo({ ...ref, import_id: one.id })
    queries.setQueryData(importQuery(ref, one.id).queryKey, undone)
    await noteRecordsChanged(ref.project_id)
  }
  return (
    <>
      <Button icon="undo" onClick={() => setIsAsking(true)}>
        Undo the import
      </Button>
      {isAsking && (
        <Confirm title="Undo this import?" action="Undo the import" onConfirm={undo} onClose={() => setIsAsking(false)}>
          <p>
            Of {countOf(one.totals.created, 'record')} that it created, those that are still pending are removed. What you have approved or
            rejected stays, and so do the changes to records that existed before. The rows count towards your quota no more.
          </p>
        </Confirm>
      )}
    </>
  )
}
