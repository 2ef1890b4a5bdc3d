import { plainName } from '../../ui/names.ts'
import type { SurveyResponse } from '../queries.ts'

/** Returns what a respondent is called on the page. */
export function respondentName({ respondent: { name, email, external_id } }: Pick<SurveyResponse, 'respondent'>): string {
  return plainName(name || email || external_id || 'Anonymous')
}
