import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isRefusal } from '../api.ts'
import { memberNamesQuery } from '../members/members-query.ts'
import { Empty } from '../ui/empty.tsx'
import { type Feature, useHasFeature } from '../ui/not-in-plan.tsx'
import { Page } from '../ui/page.tsx'
import { useHasRole, useTeam } from './places.ts'

/** A page for admins and owners. Others read whom to ask, and nothing is requested that would be refused. */
export function AdminsOnly({ title, children }: { title: string; children: ReactNode }) {
  return useHasRole('admin') ? children : <WhomToAsk title={title} />
}

function WhomToAsk({ title }: { title: string }) {
  const team = useTeam()
  const { data: members = [] } = useQuery(memberNamesQuery(team.id))
  const names = members.filter(({ role }) => role === 'admin' || role === 'owner').map(({ user }) => user.name)
  return (
    <Page title={title}>
      <Empty icon="lock" title="This page is for admins">
        You are a {team.role} of {team.name}. Ask an admin or an owner
        {names.length > 0 && (
          <>
            {': '}
            <bdi>{new Intl.ListFormat('en', { type: 'disjunction' }).format(names)}</bdi>
          </>
        )}
        .
      </Empty>
    </Page>
  )
}

/** What a page says when the plan of the team lacks its feature. */
export function NotInPlan({ what }: { what: string }) {
  const team = useTeam()
  return (
    <Empty icon="lock" title={`The ${team.plan} plan has no ${what}`}>
      {team.role === 'owner' ? 'A larger plan of the team includes it.' : `An owner of ${team.name} can change the plan.`} Nothing that you
      set up is lost when the plan changes.
    </Empty>
  )
}

/** Whether the plan of the team lacks the feature: as the page knows it, also from a change since, or as the service refused. */
export function useLacksFeature(feature: Feature, error: unknown): boolean {
  return !useHasFeature(feature) || isRefusal(error, 'feature_not_in_plan')
}
