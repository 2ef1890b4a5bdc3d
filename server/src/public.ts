import { contracts } from '@earshot/contracts'
import { implement } from './http/implement.ts'
import { publicProjects } from './projects.ts'
import { publicConsent, publicItems, publicSubmissions } from './submissions/public.ts'

export const publicPlane = implement(contracts.public, {
  projects: publicProjects,
  submissions: publicSubmissions,
  items: publicItems,
  consent: publicConsent,
})
