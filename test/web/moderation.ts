import type { Submission } from '../../web/src/dashboard/api.ts'
import { Browser, type Tab } from './browser.ts'
import { submissionOf } from './records.ts'
import { FakeService, type SentRequest } from './service.ts'

export const HOLD_MS = 5_000
export const MODERATE = 'POST submissions/moderate/'

export const [ada, ben, cleo] = [submissionOf({ id: 'ada' }), submissionOf({ id: 'ben' }), submissionOf({ id: 'cleo' })]

interface Item {
  submission_id: string
  action: 'approve' | 'reject'
  expected_state: string
  reason: string | null
}

/** A tab in which somebody decides, and a service that takes all decisions. */
export interface Desk {
  service: FakeService
  tab: Tab
  decisions: Tab['dashboard']['decisions']
  /** The ids of what the service does not know yet. */
  held: () => string[]
  /** The decisions of each request. */
  sentItems: () => Item[][]
  sentIds: () => string[][]
}

export function openDesk(): Desk {
  const service = new FakeService().on(MODERATE, moderate)
  const tab = new Browser().openTab({ service })
  const { decisions } = tab.dashboard
  const sentItems = () => service.sent(MODERATE).map(itemsOf)
  return {
    ...{ service, tab, decisions, sentItems },
    held: () => [...decisions.useHeld().keys()],
    sentIds: () => sentItems().map((items) => items.map(({ submission_id }) => submission_id)),
  }
}

/** Answers as the service does when nobody else has decided. */
export function moderate(request: SentRequest) {
  const results = itemsOf(request).map(({ submission_id, action }) => ({
    ...{ submission_id, outcome: 'changed', error: null },
    submission: submissionOf({ id: submission_id, state: action === 'approve' ? 'approved' : 'rejected' }),
  }))
  return { results }
}

/** Answers when the only decision came too late. */
export function tooLate(code: string, current_state: Submission['state'] | null) {
  return ({ body }: SentRequest) => ({
    results: itemsOf({ body }).map(({ submission_id }) => ({
      ...{ submission_id, outcome: 'failed', submission: null },
      error: { code, detail: '', current_state },
    })),
  })
}

/** Submissions whose ids are as long as those of the service. */
export function manySubmissions(count: number, press = 0): Submission[] {
  return Array.from({ length: count }, (_, index) => submissionOf({ id: `${press}-${index}`.padEnd(36, '-') }))
}

export function idsOf(request: Pick<SentRequest, 'body'>): string[] {
  return itemsOf(request).map(({ submission_id }) => submission_id)
}

function itemsOf({ body }: Pick<SentRequest, 'body'>): Item[] {
  return (body as { items: Item[] }).items // Proven: the operation takes no other body.
}
