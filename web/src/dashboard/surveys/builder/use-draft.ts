import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type Survey, useSurveyRef } from '../queries.ts'
import { Keeper, type Kept } from './keeper.ts'

/** The draft of a survey, and what to do with it. */
export type DraftEditing = Kept & Pick<Keeper, 'change' | 'save' | 'resolve' | 'discard'>

/** Edits a survey. What another page or person saves meanwhile comes with `survey`. */
export function useDraft(survey: Survey): DraftEditing {
  const ref = useSurveyRef()
  // biome-ignore lint/correctness/useExhaustiveDependencies: one keeper per survey; newer states are received below
  const keeper = useMemo(() => new Keeper(ref, survey), [survey.id])
  const kept = useSyncExternalStore(keeper.subscribe, keeper.read)
  useEffect(() => keeper.receive(survey), [keeper, survey])
  useEffect(() => {
    if (kept.state === 'saved') return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [kept.state])
  return { ...kept, change: keeper.change, save: keeper.save, resolve: keeper.resolve, discard: keeper.discard }
}
