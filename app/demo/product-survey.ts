import type { QuestionInput } from '@earshot/contracts'
import type { PastResponse, SurveyRow } from '@earshot/db'
import { missing, spoken } from './comments.ts'
import { createDice, daysAgo, idAt } from './place.ts'
import { respondentOf } from './respondents.ts'

const RESPONSES = 80
/** Over which they came. */
const DAYS = 40

const ROLES = ['owner', 'manager', 'manager', 'staff', 'office']
const FEATURES = ['swaps', 'templates', 'swaps', 'offline', 'leave', 'hours', 'swaps', 'templates', 'api']
const SATISFACTION = [5, 4, 5, 4, 3, 5, 4, 2, 5, 4, 4, 5, 1, 4, 5, 3]

const plain = { description: null, show_if: null, required: false } as const
const options = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
const questions: QuestionInput[] = [
  {
    ...{ ...plain, ref: 'role', type: 'single_choice', title: 'What do you do?', required: true },
    options: options({
      owner: 'I own the business',
      manager: 'I plan for others',
      staff: 'I work by the rota',
      office: 'Office and payroll',
    }),
  },
  {
    ...{ ...plain, ref: 'features', type: 'multiple_choice', title: 'What do you use every week?', min_choices: null, max_choices: 3 },
    description: 'At most three.',
    options: options({
      ...{ swaps: 'Shift swaps', templates: 'Templates', offline: 'The rota without a network' },
      ...{ leave: 'Leave requests', hours: 'Hours and exports', api: 'The API' },
    }),
  },
  {
    ...{ ...plain, ref: 'satisfaction', type: 'csat', title: 'How satisfied are you with Northlight?', required: true },
    ...{ low_label: 'Very dissatisfied', high_label: 'Very satisfied' },
  },
  {
    ...{ ...plain, ref: 'missing', type: 'long_text', title: 'What is missing?', max_length: 2_000 },
    show_if: { match: 'all', rules: [{ ref: 'satisfaction', op: 'lte', value: 3 }] },
  },
  {
    ...{ ...plain, ref: 'hours_saved', type: 'number', title: 'How many hours a week does it save you?', min: 0, max: 40, integer: false },
    show_if: { match: 'any', rules: [{ ref: 'role', op: 'one_of', value: ['owner', 'manager'] }] },
  },
  { ...plain, ref: 'may_ask', type: 'boolean', title: 'May we ask you more?' },
  {
    ...{ ...plain, ref: 'email', type: 'email', title: 'At which address?' },
    show_if: { match: 'all', rules: [{ ref: 'may_ask', op: 'equals', value: true }] },
  },
]

export const productSurvey = { name: 'What do you use?', language: 'en', thank_you_text: 'Thank you!', questions }

export const draftSurvey = {
  name: 'After the first week',
  language: 'en',
  questions: [
    { ...plain, ref: 'effort', type: 'ces', title: 'It was easy to publish our first rota.', low_label: 'Disagree', high_label: 'Agree' },
    { ...plain, ref: 'stuck', type: 'long_text', title: 'Where did you get stuck?', max_length: 2_000 },
  ] satisfies QuestionInput[],
}

/** Returns the answers of eighty people, oldest first. */
export function productResponses(survey: SurveyRow): PastResponse[] {
  const dice = createDice(80)
  let unhappy = 0
  return Array.from({ length: RESPONSES }, (_none, index): PastResponse => {
    const respondent = respondentOf(dice)
    const role = ROLES[Math.floor(dice() * ROLES.length)] ?? 'staff'
    const satisfaction = SATISFACTION[index % SATISFACTION.length] ?? 4
    const comment = satisfaction <= 3 ? missing[unhappy++] : undefined
    const [language, words] = comment === undefined ? ['en'] : spoken(comment)
    const may_ask = respondent.email !== undefined && dice() > 0.5
    const features = Array.from({ length: 1 + Math.floor(dice() * 3) }, () => FEATURES[Math.floor(dice() * FEATURES.length)] ?? 'swaps')
    const values: Record<string, string | number | boolean | string[]> = {
      ...{ role, satisfaction, features: [...new Set(features)], may_ask },
      ...(words !== undefined && { missing: words }),
      ...((role === 'owner' || role === 'manager') && { hours_saved: Math.round(dice() * 12) / 2 }),
      ...(may_ask && respondent.email && { email: respondent.email }),
    }
    return {
      ...{ id: idAt(daysAgo(DAYS * (1 - (index + dice()) / RESPONSES))), channel: 'public', respondent, language },
      started_at: new Date(Date.now() - 30_000 - Math.floor(dice() * 150_000)).toISOString(),
      answers: survey.questions.flatMap(({ id, ref }) => (values[ref] === undefined ? [] : [{ question_id: id, value: values[ref] }])),
    }
  })
}
