import type { Import } from './words.ts'

const FUTURE = { created: 'Would be new', updated: 'Would be updated', skipped: 'Exist already', failed: 'Cannot be read' }
const PAST = { created: 'New', updated: 'Updated', skipped: 'Existed already', failed: 'Failed' }

/** What became of the rows of a file, or would. */
export function Totals({ one: { totals, dry_run, state } }: { one: Import }) {
  const words = dry_run ? FUTURE : PAST
  return (
    <dl className="totals">
      <Figure label="Rows" count={totals.rows} />
      <Figure label={words.created} count={totals.created} />
      {totals.updated > 0 && <Figure label={words.updated} count={totals.updated} />}
      <Figure label={words.skipped} count={totals.skipped} />
      <Figure label={words.failed} count={totals.failed} isBad={totals.failed > 0} />
      {state === 'undone' && <Figure label="Removed again" count={totals.removed} />}
    </dl>
  )
}

function Figure({ label, count, isBad = false }: { label: string; count: number; isBad?: boolean }) {
  return (
    <div data-bad={isBad || undefined}>
      <dt>{label}</dt>
      <dd>{count.toLocaleString('en')}</dd>
    </div>
  )
}
