import { plans } from '@earshot/contracts/constants'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, type Output, type Team } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Day } from '../ui/time.tsx'
import './usage.css'

type Quota = Output<typeof api.teams.usage>['quotas'][number]
type Feature = (typeof plans)['business']['features'][number]

const QUOTAS: Record<Quota['quota'], string> = {
  submissions: 'Submissions',
  responses: 'Survey responses',
  video_uploads: 'Uploaded videos',
  imported_rows: 'Imported rows',
  projects: 'Projects',
  members: 'Members and invitations',
  webhook_endpoints: 'Webhook endpoints',
}
const FEATURES: Record<Feature, string> = {
  text: 'Collect text',
  video: 'Collect videos',
  surveys: 'Surveys',
  webhooks: 'Webhooks and events',
  imports: 'Imports',
  widgets_without_badge: 'Widgets without our badge',
  audit_log: 'Audit log',
  privacy_requests: 'Privacy requests',
}
const PLANS: Record<Team['plan'], string> = { free: 'Free', pro: 'Pro', business: 'Business' }
/** From this share on the bar warns. */
const NEARLY_FULL = 0.8

/** What the team uses of its plan, and what the plan includes. */
export function Usage() {
  const team = useTeam()
  const query = useQuery({ queryKey: ['usage', team.id], queryFn: () => api.teams.usage({ team_id: team.id }) })
  return (
    <Page title="Usage" lead={`What ${team.name} uses of the ${PLANS[team.plan]} plan.`} width="wide">
      <Loaded query={query} skeleton={<UsageSkeleton />}>
        {({ plan, quotas }) => (
          <>
            <ul className="quotas">
              {inOrder(quotas).map((quota) => (
                <QuotaLine key={quota.quota} quota={quota} />
              ))}
            </ul>
            <PlanFeatures plan={plan} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The shape of the cards. */
function UsageSkeleton() {
  return (
    <div className="usage-skeleton">
      <Skeleton rows={7} height="6rem" />
    </div>
  )
}

/** First what people send, then what the team has. */
function inOrder(quotas: readonly Quota[]): Quota[] {
  const names = Object.keys(QUOTAS)
  return quotas.toSorted((one, other) => names.indexOf(one.quota) - names.indexOf(other.quota))
}

function QuotaLine({ quota: { quota, used, limit, resets_at } }: { quota: Quota }) {
  const { slug } = useTeam()
  const share = limit === 0 ? 0 : Math.min(1, used / limit)
  const look = lookOf(used, limit)
  return (
    <li data-look={look}>
      <div>
        <h2>
          {quota === 'members' ? (
            <Link to="/$team/-/members" params={{ team: slug }}>
              {QUOTAS[quota]}
            </Link>
          ) : (
            QUOTAS[quota]
          )}
        </h2>
        <p className="soft">
          {limit === 0 && 'Not included in the plan'}
          {limit > 0 && resets_at !== null && (
            <>
              Resets on <Day at={resets_at} />
            </>
          )}
          {limit > 0 && resets_at === null && 'In total'}
        </p>
      </div>
      <p className="amount">
        <strong>{used.toLocaleString('en')}</strong> of {limit.toLocaleString('en')}
      </p>
      <div className="meter" aria-hidden="true">
        {share > 0 && <i style={{ inlineSize: `${share * 100}%` }} />}
      </div>
      {look === 'full' && limit > 0 && (
        <p className="full">Full: more is refused{resets_at === null ? ' until something is deleted' : ' until then'}.</p>
      )}
    </li>
  )
}

function lookOf(used: number, limit: number): 'full' | 'nearly' | 'free' {
  if (used >= limit && limit > 0) return 'full'
  return limit > 0 && used / limit >= NEARLY_FULL ? 'nearly' : 'free'
}

function PlanFeatures({ plan }: { plan: Team['plan'] }) {
  const { features, apiAccess, video } = plans[plan]
  const included: readonly string[] = features
  return (
    <Section title={`${PLANS[plan]} plan`} lead="The operator of this service changes the plan of a team.">
      <ul className="features">
        {Object.entries(FEATURES).map(([feature, text]) => (
          <FeatureLine key={feature} isIncluded={included.includes(feature)} text={text} />
        ))}
        <FeatureLine isIncluded={apiAccess} text="API with access tokens" />
      </ul>
      <p className="soft">
        Videos of up to {video.maxSeconds / 60} minutes and {(video.maxBytes / 1_000_000).toLocaleString('en')} MB.
      </p>
    </Section>
  )
}

function FeatureLine({ isIncluded, text }: { isIncluded: boolean; text: string }) {
  return (
    <li data-off={!isIncluded || undefined}>
      <Icon name={isIncluded ? 'check' : 'x'} />
      {text}
      {!isIncluded && <span className="sr">: not included</span>}
    </li>
  )
}
