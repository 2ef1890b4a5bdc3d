import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../ui/icon.tsx'

/** A page of the navigation. */
export interface PageEntry {
  to: NonNullable<LinkProps['to']>
  icon: IconName
  text: string
  /** Only admins and owners may open it. */
  isForAdmins?: boolean
}

/** The pages of a project, in the order of the navigation. */
export const PROJECT_PAGES: readonly PageEntry[] = [
  { to: '/$team/$project/inbox', icon: 'inbox', text: 'Inbox' },
  { to: '/$team/$project/testimonials', icon: 'quote', text: 'Testimonials' },
  { to: '/$team/$project/videos', icon: 'video', text: 'Videos' },
  { to: '/$team/$project/surveys', icon: 'survey', text: 'Surveys' },
  { to: '/$team/$project/analytics', icon: 'chart', text: 'Analytics' },
  { to: '/$team/$project/widgets', icon: 'wall', text: 'Widgets' },
  { to: '/$team/$project/imports', icon: 'import', text: 'Imports' },
  { to: '/$team/$project/settings', icon: 'settings', text: 'Project settings' },
]

/** The pages of a team. */
export const TEAM_PAGES: readonly PageEntry[] = [
  { to: '/$team/-/webhooks', icon: 'hook', text: 'Webhooks', isForAdmins: true },
  { to: '/$team/-/events', icon: 'events', text: 'Events', isForAdmins: true },
  { to: '/$team/-/audit-log', icon: 'log', text: 'Audit log', isForAdmins: true },
  { to: '/$team/-/members', icon: 'people', text: 'Members' },
  { to: '/$team/-/usage', icon: 'meter', text: 'Usage' },
  { to: '/$team/-/privacy', icon: 'shield', text: 'Privacy', isForAdmins: true },
  { to: '/$team/-/settings', icon: 'settings', text: 'Team settings' },
]
