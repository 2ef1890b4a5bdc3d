import type { IconName } from '../ui/icon.tsx'

export const GROUPS = [
  ...(['Recent', 'Go to', 'Actions', 'Switch to'] as const),
  ...(['Surveys', 'Widgets', 'Webhook endpoints', 'Members', 'Tags', 'Submissions'] as const),
] as const
/** What is chosen here is remembered by its id. The others have names that people gave. */
export const REMEMBERED: readonly Entry['group'][] = ['Recent', 'Go to', 'Actions', 'Switch to']

/** Something that the command palette offers. */
export interface Entry {
  /** The same at each visit: what was chosen last is kept by it. */
  id: string
  group: (typeof GROUPS)[number]
  icon: IconName
  text: string
  /** Where it is: the name of a project or a team, the words of a submission. */
  detail?: string
  /** Other words for it. */
  keywords?: string
  /** Only shown when something is typed. */
  isDeep?: boolean
  run: () => unknown
}
