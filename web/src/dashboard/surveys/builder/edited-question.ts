import type { Problems } from './checks.ts'
import type { DraftQuestion } from './draft.ts'
import type { DraftEditing } from './use-draft.ts'

/** The question that is open, and what is wrong with it. */
export interface EditedQuestionProps {
  question: DraftQuestion
  editing: Pick<DraftEditing, 'draft' | 'survey' | 'change'>
  problems: Problems
}
