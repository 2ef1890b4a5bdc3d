import { publicProjects } from './projects.ts'
import { publicDrafts, publicUploads } from './public-uploads.ts'
import { publicConsent, publicItems, publicSubmissions } from './submissions/public.ts'
import { publicResponses, publicSurveys } from './surveys/public.ts'
import { publicWidgets } from './widgets.ts'

/** The public plane: operations for visitors, without a credential. */
export const publicPlane = {
  projects: publicProjects,
  submissions: publicSubmissions,
  uploads: publicUploads,
  drafts: publicDrafts,
  items: publicItems,
  consent: publicConsent,
  surveys: publicSurveys,
  responses: publicResponses,
  widgets: publicWidgets,
}
