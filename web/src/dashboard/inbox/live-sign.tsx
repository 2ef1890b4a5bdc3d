import { useLiveState } from '../live/state.ts'

const TEXTS = { live: 'Live', connecting: 'Connecting…', off: 'Not live' } as const

/** Whether changes appear by themselves at this moment. */
export function LiveSign() {
  const state = useLiveState()
  return (
    <span className="live" data-state={state} role="status">
      <i />
      {TEXTS[state]}
    </span>
  )
}
