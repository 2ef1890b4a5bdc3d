import { EarshotApiError } from '@earshot/contracts/client'
import { api, isRefusal } from '../../api.ts'
import { noteSurvey, type Survey, type SurveyInput, type SurveyRef } from '../queries.ts'
import { problemsOf } from './checks.ts'
import { adoptIds, changesOf, type Draft, draftOf, isSameContent } from './draft.ts'

/** A pause in typing. */
const PAUSE_MS = 900
const RETRY_MS = 10_000

/** Where a draft stands. `invalid` waits for the author, `failed` is tried again, `conflict` waits for a decision. */
type SaveState = 'saved' | 'changed' | 'saving' | 'invalid' | 'failed' | 'conflict'

export interface Kept {
  draft: Draft
  /** The survey as the service has it. */
  survey: Survey
  state: SaveState
  error: unknown
  /** Changes of an earlier visit were found in this browser. */
  isRestored: boolean
  /** What somebody else saved meanwhile. */
  theirs: Survey | null
}

/**
 * Keeps the draft of a survey. Every change goes to the session storage at once. Those of a survey that was never published are saved
 * after each pause; those of others wait for `save`, because respondents would see them half done.
 */
export class Keeper {
  #ref: SurveyRef
  #kept: Kept
  #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #saving: Promise<boolean> | undefined

  constructor(ref: SurveyRef, survey: Survey) {
    this.#ref = ref
    const stored = readStored(survey.id)
    const isRestored = stored !== null && changesOf(stored.draft, survey) !== null
    const isConflict = isRestored && !isSameContent(stored.survey, survey)
    this.#kept = {
      draft: isRestored ? stored.draft : draftOf(survey),
      survey: isConflict ? stored.survey : survey,
      state: 'saved',
      ...{ error: null, isRestored, theirs: isConflict ? survey : null },
    }
    if (isRestored) this.#kept = { ...this.#kept, state: isConflict ? 'conflict' : 'changed' }
  }

  read = (): Kept => this.#kept

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#kept.state === 'changed') this.#schedule(PAUSE_MS)
    addEventListener('online', this.#retry)
    return () => {
      this.#listeners.delete(listener)
      removeEventListener('online', this.#retry)
      // The page is left: what can be saved is saved now.
      if (this.#savesItself()) void this.#save(false)
      clearTimeout(this.#timer)
    }
  }

  change = (change: (draft: Draft) => Draft): void => {
    const draft = change(this.#kept.draft)
    if (draft === this.#kept.draft) return
    const state = changesOf(draft, this.#kept.survey) === null ? 'saved' : 'changed'
    this.#set({ draft, state: this.#kept.theirs ? 'conflict' : state, error: null })
    this.#schedule(PAUSE_MS)
  }

  /** Sends what changed. Resolves to whether all of it is saved. */
  save = (): Promise<boolean> => this.#save(true)

  /** `isAsked`: the author has said so. */
  async #save(isAsked: boolean): Promise<boolean> {
    clearTimeout(this.#timer)
    // One request at a time: the next one needs the ids that this one gives.
    while (this.#saving !== undefined) await this.#saving
    const { draft, survey, state } = this.#kept
    if (state === 'conflict') return false
    if (changesOf(draft, survey) === null) {
      this.#set({ state: 'saved', error: null })
      return true
    }
    if (problemsOf(draft).size > 0) {
      this.#set({ state: 'invalid' })
      return false
    }
    this.#saving = this.#send(draft, isAsked)
    const isSaved = await this.#saving.finally(() => {
      this.#saving = undefined
    })
    return isSaved
  }

  /** Takes what the service has now. What somebody else changed is a conflict only with changes of our own. */
  receive = (survey: Survey): void => {
    const { draft, survey: before } = this.#kept
    if (survey === before) return
    if (isSameContent(survey, before)) {
      this.#set({ survey })
    } else if (changesOf(draft, survey) === null) {
      this.#set({ survey, state: 'saved', error: null, theirs: null })
    } else if (changesOf(draft, before) === null) {
      this.#set({ survey, draft: draftOf(survey, draft), state: 'saved', error: null, theirs: null })
    } else this.#set({ state: 'conflict', theirs: survey })
  }

  /** Ends a conflict: the own draft replaces theirs, or theirs replaces it. */
  resolve = (choice: 'mine' | 'theirs'): void => {
    const { theirs, draft } = this.#kept
    if (!theirs) return
    if (choice === 'theirs') this.#set({ survey: theirs, draft: draftOf(theirs, draft), state: 'saved', theirs: null, error: null })
    else {
      // Their ids are the ones that exist.
      const known = new Set(theirs.questions.map(({ id }) => id))
      const questions = draft.questions.map(({ id, ...question }) => (id !== undefined && known.has(id) ? { ...question, id } : question))
      this.#set({ survey: theirs, draft: { ...draft, questions }, state: 'changed', theirs: null, error: null })
      this.#schedule(0)
    }
  }

  /** Goes back to what is saved. */
  discard = (): void => {
    const { survey, draft } = this.#kept
    this.#set({ draft: draftOf(survey, draft), state: 'saved', error: null, isRestored: false })
  }

  async #send(draft: Draft, isAsked: boolean): Promise<boolean> {
    this.#set({ state: 'saving', error: null })
    try {
      const { survey } = this.#kept
      const changes = changesOf(draft, survey)
      const saved = changes ? await this.#update(changes, survey) : survey
      this.#accept(draft, saved)
      return this.#kept.state === 'saved'
    } catch (error) {
      if (isRefusal(error, 'state_conflict')) return this.#meet(draft, isAsked)
      this.#fail(error)
      return false
    }
  }

  #update(changes: SurveyInput, { updated_at }: Survey): Promise<Survey> {
    return api.surveys.update({ ...this.#ref, ...changes, expected_updated_at: updated_at })
  }

  /** Somebody else saved a moment ago, in another tab or on another desk: reads what. */
  async #meet(draft: Draft, isAsked: boolean): Promise<boolean> {
    try {
      this.receive(await api.surveys.retrieve(this.#ref))
    } catch (error) {
      this.#fail(error)
      return false
    }
    const { theirs, survey } = this.#kept
    if (theirs) return false
    // It was published or closed, and says the same. What respondents see waits for the author.
    if (isAsked || survey.status === 'draft') return this.#send(draft, isAsked)
    this.#set({ state: 'changed' })
    return false
  }

  #accept(sent: Draft, survey: Survey): void {
    const draft = adoptIds(this.#kept.draft, sent, survey)
    const isSaved = changesOf(draft, survey) === null
    this.#set({ draft, survey, state: isSaved ? 'saved' : 'changed', error: null, isRestored: false })
    noteSurvey(survey)
    if (!isSaved) this.#schedule(PAUSE_MS)
  }

  #fail(error: unknown): void {
    const isRefused = error instanceof EarshotApiError && error.status < 500 && error.status !== 429 && error.status !== 401
    this.#set({ state: isRefused ? 'invalid' : 'failed', error })
    if (!isRefused) this.#schedule(RETRY_MS)
  }

  #schedule(waitMs: number): void {
    clearTimeout(this.#timer)
    if (!this.#savesItself()) return
    // It may be published before the time is over.
    this.#timer = setTimeout(() => this.#savesItself() && void this.#save(false), waitMs)
  }

  #retry = (): void => {
    if (this.#kept.state === 'failed') this.#schedule(0)
  }

  #savesItself(): boolean {
    const { survey, state } = this.#kept
    return survey.status === 'draft' && (state === 'changed' || state === 'failed')
  }

  #set(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change }
    store(this.#kept)
    for (const listener of this.#listeners) listener()
  }
}

function storageKey(surveyId: string): string {
  return `earshot.survey-draft.1.${surveyId}`
}

function store({ draft, survey, state }: Kept): void {
  try {
    if (state === 'saved') sessionStorage.removeItem(storageKey(survey.id))
    else sessionStorage.setItem(storageKey(survey.id), JSON.stringify({ draft, survey }))
  } catch {
    // Storage is full or forbidden: the draft lives on in the page.
  }
}

function readStored(surveyId: string): Pick<Kept, 'draft' | 'survey'> | null {
  try {
    // Only `store` writes under this name, whose number changes with the shape.
    return JSON.parse(sessionStorage.getItem(storageKey(surveyId)) ?? 'null') as Pick<Kept, 'draft' | 'survey'> | null
  } catch {
    return null
  }
}
