import { plans } from '@earshot/contracts/constants'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Empty } from './empty.tsx'

export type Feature = (typeof plans)['business']['features'][number]

/** Whether the plan of the team includes the feature, so that what the service would refuse is not asked for. */
export function useHasFeature(feature: Feature): boolean {
  const features: readonly Feature[] = plans[useTeam().plan].features
  return features.includes(feature)
}

/** For a page whose feature the plan of the team does not include (402 `feature_not_in_plan`). */
export function NotInPlan({ what, children }: { what: string; children: string }) {
  const { plan } = useTeam()
  const isOwner = useHasRole('owner')
  return (
    <Empty icon="lock" title={`The ${plan} plan does not include ${what}`}>
      {children} {isOwner ? 'The operator of this service changes the plan of a team.' : 'Ask an owner of the team about another plan.'}
    </Empty>
  )
}
