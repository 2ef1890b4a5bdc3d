import { contracts } from '@earshot/contracts'
import { implement } from './http/implement.ts'
import { publicProjects } from './projects.ts'
import { publicResponses, publicSurveys } from './public-surveys.ts'
import { publicWidgets } from './public-widgets.ts'
import { publicConsent, publicItems, publicSubmissions } from './submissions/public.ts'
import { publicDrafts, publicUploads } from './videos/public.ts'

/** The public plane: what visitors do, without a credential. */
export const publicPlane = implement(contracts.public, {
  projects: publicProjects,
  submissions: publicSubmissions,
  uploads: publicUploads,
  drafts: publicDrafts,
  items: publicItems,
  consent: publicConsent,
  surveys: publicSurveys,
  responses: publicResponses,
  widgets: publicWidgets,
})
