import type { Survey } from './queries.ts'

const LOOKS = { draft: '', active: 'good', closed: 'warn' } as const
const TEXTS = { draft: 'Draft', active: 'Active', closed: 'Closed' } as const

/** Whether a survey takes responses. */
export function StatusTag({ status }: Pick<Survey, 'status'>) {
  return <span className={`tag ${LOOKS[status]}`}>{TEXTS[status]}</span>
}
