import type { IconName } from '../ui/icon.tsx'

export const GROUPS = ['Recent', 'Go to', 'Actions', 'Switch to', 'Submissions'] as const

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
