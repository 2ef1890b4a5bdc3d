import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useHasRole, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { Page, Section } from '../ui/page.tsx'
import { ListSkeleton } from '../ui/skeleton.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberLine } from './member-line.tsx'
import { membersQuery } from './members-query.ts'
import { ROLES } from './roles.ts'
import './members.css'

const route = getRouteApi('/$team/-/members')

/** Who works in the team, and who is invited to it. */
export function Members() {
  const team = useTeam()
  const isAdmin = useHasRole('admin')
  const { invite } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(membersQuery(team.id))
  return (
    <Page
      title="Members"
      lead={`The people of ${team.name}, and what each may do.`}
      width="wide"
      actions={
        isAdmin && (
          <Button look="primary" icon="plus" onClick={() => void navigate({ search: { invite: true } })}>
            Invite
          </Button>
        )
      }
    >
      <Loaded query={query} skeleton={<ListSkeleton rows={3} height="4.125rem" hasFace />}>
        {({ pages }) => (
          <ul className="people">
            {pages
              .flatMap(({ results }) => results)
              .map((member) => (
                <MemberLine key={member.user.id} member={member} />
              ))}
          </ul>
        )}
      </Loaded>
      <More query={query} />
      <Invitations />
      <Section title="Roles">
        <dl className="roles">
          {ROLES.map(({ value, label, hint }) => (
            <div key={value}>
              <dt>{label}</dt>
              <dd>{hint}</dd>
            </div>
          ))}
        </dl>
      </Section>
      {invite && isAdmin && <InviteDialog onClose={() => void navigate({ search: {}, replace: true })} />}
    </Page>
  )
}
