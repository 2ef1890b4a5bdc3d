import { PROJECT, ProjectRef } from '../paths.ts'
import { Id } from '../schemas/primitives.ts'

export const SURVEY = `${PROJECT}/surveys/{survey_id}` as const
export const SurveyRef = ProjectRef.extend({ survey_id: Id.meta({ description: 'The survey.' }) })
