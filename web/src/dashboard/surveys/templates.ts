import type { QuestionInput } from './queries.ts'

interface Template {
  id: string
  name: string
  /** What it finds out. */
  text: string
  questions: QuestionInput[]
  thanks: string
}

const LOW_TO_HIGH = { low_label: 'Not at all likely', high_label: 'Extremely likely' }
const SATISFIED = { low_label: 'Very unsatisfied', high_label: 'Very satisfied' }

/** Surveys to begin with. Each can be answered in two minutes. */
export const templates: readonly Template[] = [
  {
    id: 'nps',
    name: 'Net Promoter Score',
    text: 'Would people recommend you, and why? Unhappy people are asked what went wrong.',
    questions: [
      { type: 'nps', ref: 'nps', title: 'How likely are you to recommend us to a friend or colleague?', required: true, ...LOW_TO_HIGH },
      { type: 'long_text', ref: 'better', title: 'What should we do better?', show_if: rule('nps', 'lte', 6) },
      { type: 'long_text', ref: 'missing', title: 'What is missing for a 10?', show_if: all(['nps', 'gte', 7], ['nps', 'lte', 8]) },
      { type: 'long_text', ref: 'best', title: 'What do you like best?', show_if: rule('nps', 'gte', 9) },
    ],
    thanks: 'Thank you! We read every answer.',
  },
  {
    id: 'csat',
    name: 'Customer satisfaction',
    text: 'How satisfied are people after they talked to support or used a feature?',
    questions: [
      { type: 'csat', ref: 'csat', title: 'How satisfied are you with the help you got?', required: true, ...SATISFIED },
      { type: 'boolean', ref: 'solved', title: 'Is your question answered?', required: true },
      { type: 'long_text', ref: 'open', title: 'What is still open?', show_if: rule('solved', 'equals', false) },
      { type: 'long_text', ref: 'words', title: 'Do you want to tell us more?' },
    ],
    thanks: 'Thank you for your answers.',
  },
  {
    id: 'pmf',
    name: 'Product-market fit',
    text: 'How disappointed would people be without your product? 40% “very” is a good sign.',
    questions: [
      {
        type: 'single_choice',
        ref: 'disappointed',
        title: 'How would you feel if you could no longer use the product?',
        required: true,
        options: options('Very disappointed', 'Somewhat disappointed', 'Not disappointed'),
      },
      { type: 'long_text', ref: 'benefit', title: 'What is the main benefit for you?' },
      { type: 'long_text', ref: 'who', title: 'Who would benefit most from it?' },
      {
        type: 'short_text',
        ref: 'instead',
        title: 'What would you use instead?',
        show_if: rule('disappointed', 'not_equals', 'not_disappointed'),
      },
      { type: 'long_text', ref: 'improve', title: 'How can we improve it for you?' },
    ],
    thanks: 'Thank you! Your answers decide what we build next.',
  },
  {
    id: 'purchase',
    name: 'After a purchase',
    text: 'How easy was it to buy, and what nearly stopped people?',
    questions: [
      {
        ...{ type: 'ces', ref: 'ces', title: 'How easy was it to buy from us?', required: true },
        ...{ low_label: 'Very difficult', high_label: 'Very easy' },
      },
      { type: 'long_text', ref: 'difficult', title: 'What was difficult?', show_if: rule('ces', 'lte', 4) },
      {
        type: 'single_choice',
        ref: 'found',
        title: 'How did you find us?',
        options: options('A friend or colleague', 'A search engine', 'Social media', 'An advertisement', 'Something else'),
      },
      { type: 'long_text', ref: 'stopped', title: 'What nearly stopped you from buying?' },
    ],
    thanks: 'Thank you, and enjoy your purchase!',
  },
  {
    id: 'onboarding',
    name: 'Onboarding',
    text: 'Who are new customers, what do they want to do, and do they get there?',
    questions: [
      {
        type: 'single_choice',
        ref: 'role',
        title: 'What is your role?',
        options: options('Founder', 'Product', 'Marketing', 'Engineering', 'Support', 'Something else'),
      },
      {
        type: 'multiple_choice',
        ref: 'goals',
        title: 'What do you want to do with the product?',
        description: 'Choose all that fit.',
        required: true,
        options: options('Try it', 'Replace another tool', 'Start something new', 'Something else'),
      },
      {
        type: 'short_text',
        ref: 'replaces',
        title: 'Which tool do you replace?',
        show_if: rule('goals', 'includes', 'replace_another_tool'),
      },
      { type: 'rating', ref: 'start', title: 'How was your start?', max: 5, required: true },
      { type: 'long_text', ref: 'stuck', title: 'Where did you get stuck?', show_if: rule('start', 'lte', 3) },
    ],
    thanks: 'Thank you! We wish you a good start.',
  },
]

type Rule = NonNullable<QuestionInput['show_if']>['rules'][number]

function rule(ref: string, op: Rule['op'], value: NonNullable<Rule['value']>) {
  return all([ref, op, value])
}

function all(...rules: [ref: string, op: Rule['op'], value: NonNullable<Rule['value']>][]) {
  return { match: 'all' as const, rules: rules.map(([ref, op, value]) => ({ ref, op, value })) }
}

function options(...labels: string[]) {
  return labels.map((label) => ({ label, value: label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_') }))
}
