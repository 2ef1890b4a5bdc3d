import type { Question } from '@earshot/contracts'

/** A survey as it is now, stored or not, in the language of the preview. */
export interface PreviewedSurvey {
  type: 'earshot:survey'
  survey: { language: string; questions: Question[]; thank_you_text: string | null }
  project: { name: string; color: string | null; logoUrl: string | null; website_url: string | null }
  /** The `ref` of the question that is edited. */
  open: string | null
}

/** What the dashboard tells the preview of a survey. */
export type ToPreview = PreviewedSurvey | { type: 'earshot:restart' }

/** What the preview tells the dashboard: that it listens, and then which question it shows, null for the end. */
export type FromPreview =
  | { type: 'earshot:ready' }
  | {
      type: 'earshot:shown'
      ref: string | null
      /** Whether the answers so far skip it: it is shown because it is edited. */
      isSkipped: boolean
      /** Whether somebody went there in the preview: the editor follows. */
      isMove: boolean
    }
