import type { Draft, DraftQuestion } from '../../web/src/dashboard/surveys/builder/draft.ts'
import type { Survey } from '../../web/src/dashboard/surveys/queries.ts'
import { Browser, type Tab } from './browser.ts'
import { MemoryStorage } from './memory-storage.ts'
import { REF, surveyOf } from './records.ts'
import { FakeService, refusal, type SentRequest } from './service.ts'

/** A pause in typing. */
export const PAUSE_MS = 900
export const UPDATE = 'PATCH surveys/{id}/'
export const RETRIEVE = 'GET surveys/{id}/'

type Keeper = InstanceType<Tab['dashboard']['keeper']['Keeper']>
/** The fields of an update. */
type Update = Partial<Survey> & { expected_updated_at: string }

/** A tab in which somebody builds a survey, and a service that stores it. */
export class SurveyDesk {
  readonly storage = new MemoryStorage()
  readonly service: FakeService
  /** The survey as the service has it. */
  stored: Survey
  tab: Tab
  #saves = 0

  constructor(fields: Partial<Survey> = {}) {
    this.stored = surveyOf(fields)
    this.service = new FakeService().on(UPDATE, this.update).on(RETRIEVE, () => this.stored)
    this.tab = new Browser().openTab({ service: this.service, sessionStorage: this.storage })
  }

  /** Opens the builder with what the service has. */
  edit(): { keeper: Keeper; leave: () => void } {
    const keeper = new this.tab.dashboard.keeper.Keeper({ ...REF, survey_id: this.stored.id }, this.stored)
    return { keeper, leave: keeper.subscribe(() => {}) }
  }

  /** Loads the page again. The old one saves nothing any more. */
  reload(): void {
    this.tab.close()
    this.tab = new Browser().openTab({ service: this.service, sessionStorage: this.storage })
  }

  /** Requests to store, oldest first. */
  updates(): Update[] {
    return this.service.sent(UPDATE).map(({ body }) => body as Update) // Proven: the operation takes no other body.
  }

  /** Stores a survey as the service does: only for those who know its newest state, with ids for new questions. */
  readonly update = ({ body }: Pick<SentRequest, 'body'>): Survey | Response => {
    const { expected_updated_at, ...changes } = body as Update
    if (expected_updated_at !== this.stored.updated_at) return refusal(409, 'state_conflict', { updated_at: this.stored.updated_at })
    return this.change(changes)
  }

  /** Changes the survey as somebody else does. */
  change(fields: Partial<Survey>): Survey {
    this.#saves += 1
    const questions = (fields.questions ?? this.stored.questions).map((one) => ({ ...one, id: one.id ?? `made-${one.ref}` }))
    this.stored = { ...this.stored, ...fields, questions, updated_at: `2026-11-03T10:00:0${this.#saves}.000Z` }
    return this.stored
  }
}

export function named(name: string): (draft: Draft) => Draft {
  return (draft) => ({ ...draft, name })
}

/** Adds a question that the service does not know yet. */
export function withQuestion(ref: string): (draft: Draft) => Draft {
  return (draft) => {
    const { id: _id, ...fields } = questionOf(draft, 'why')
    return { ...draft, questions: [...draft.questions, { ...fields, key: `new-${ref}`, ref }] }
  }
}

export function questionOf({ questions }: Draft, ref: string): DraftQuestion {
  const found = questions.find((one) => one.ref === ref)
  if (!found) throw new Error(`There is no question ${ref}`)
  return found
}
