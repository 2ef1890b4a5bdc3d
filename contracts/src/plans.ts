import { z } from 'zod'
import { plans } from './plan-table.ts'

export { plans }

export const Plan = z.enum(['free', 'pro', 'business']).meta({ id: 'Plan', description: "The team's plan.", example: 'pro' })
export type Plan = z.infer<typeof Plan>
export type Feature = (typeof plans)['business']['features'][number]
export type Quota = keyof (typeof plans)['free']['quotas']

/** The names of all quotas. */
export const quotaNames = Object.keys(plans.free.quotas) as [Quota, ...Quota[]]

/** Quotas that reset with the calendar month in UTC. The others count what exists. */
export const monthlyQuotas: readonly Quota[] = ['submissions', 'responses', 'video_uploads', 'imported_rows']

/** Returns whether the plan includes the feature. */
export function planIncludes(plan: Plan, feature: Feature): boolean {
  return (plans[plan].features as readonly Feature[]).includes(feature)
}
