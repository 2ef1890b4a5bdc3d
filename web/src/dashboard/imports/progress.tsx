import { useSearch } from '@tanstack/react-router'
import { Totals } from './totals.tsx'
import { countOf, type Import } from './words.ts'

/** How far a running import is. It runs on when the page is closed. */
export function Progress({ one }: { one: Import }) {
  const { of } = useSearch({ from: '/$team/$project/imports/$import' })
  const isUndoing = one.state === 'undone'
  const goal = isUndoing ? one.totals.created : of
  const done = isUndoing ? one.totals.removed : one.totals.rows
  const label = one.dry_run ? 'Reading the file' : 'Importing'
  return (
    <div className="card stack">
      <label className="running">
        {isUndoing ? 'Removing the records' : label}
        <progress {...(goal !== undefined && goal > 0 && { max: goal, value: Math.min(done, goal) })} />
      </label>
      <p role="status">{countOf(done, isUndoing ? 'record' : 'row')} so far</p>
      {!one.dry_run && <Totals one={one} />}
      <p className="soft">You can leave this page: the import continues in the background.</p>
    </div>
  )
}
