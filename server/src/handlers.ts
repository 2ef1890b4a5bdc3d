import { contracts } from '@earshot/contracts'
import { analytics } from './analytics.ts'
import { auth } from './auth.ts'
import { events } from './events.ts'
import { implement } from './http/implement.ts'
import { imports } from './imports/imports.ts'
import { invitations } from './invitations.ts'
import { me } from './me.ts'
import { members } from './members.ts'
import { privacy } from './privacy.ts'
import { projects } from './projects.ts'
import { publicPlane } from './public.ts'
import { publicKeys } from './public-keys.ts'
import { responses } from './responses.ts'
import { submissions } from './submissions/submissions.ts'
import { tags } from './submissions/tags.ts'
import { surveys } from './surveys.ts'
import { teams } from './teams.ts'
import { testimonials } from './testimonials.ts'
import { videos } from './videos/videos.ts'
import { webhooks } from './webhooks/webhooks.ts'
import { widgets } from './widgets.ts'

/** The handlers of all operations. */
export const handlers = implement(contracts, {
  me,
  teams,
  members,
  invitations,
  projects,
  publicKeys,
  submissions,
  tags,
  testimonials,
  surveys,
  responses,
  analytics,
  videos,
  imports,
  widgets,
  webhooks,
  events,
  privacy,
  auth,
  public: publicPlane,
})
