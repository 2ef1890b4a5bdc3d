import { useQuery } from '@tanstack/react-query'
import type { Submission } from '../api.ts'
import { Icon } from '../ui/icon.tsx'
import { Ago } from '../ui/time.tsx'
import { nameOf } from './colleagues.ts'

/** Who decided, when and why. Nothing for what is pending. */
export function Decided({ item: { state, team_id, moderation } }: { item: Submission }) {
  const { by, at, reason } = moderation
  const { data: who = 'Somebody' } = useQuery({
    queryKey: ['name', team_id, by],
    queryFn: () => nameOf(team_id, by),
    enabled: state !== 'pending',
  })
  if (state === 'pending' || at === null) return null
  return (
    <div className={`note ${state === 'approved' ? 'good' : 'bad'} decided`}>
      <Icon name={state === 'approved' ? 'check' : 'x'} />
      <p>
        <strong>{state === 'approved' ? 'Approved' : 'Rejected'}</strong> by {who}, <Ago at={at} />
        {reason && <>: {<bdi>{reason}</bdi>}</>}
      </p>
    </div>
  )
}
