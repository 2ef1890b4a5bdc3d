import type { GivenAnswer, Question, QuestionInput } from '@earshot/contracts'

/** A question of each kind of figure. */
export const COUNTED = [
  { ref: 'recommend', type: 'nps', title: 'How likely are you to recommend us?' },
  { ref: 'stars', type: 'rating', title: 'How do you rate us?' },
  {
    ref: 'uses',
    type: 'multiple_choice',
    title: 'What do you use?',
    options: ['api', 'cli', 'web'].map((value) => ({ value, label: value.toUpperCase() })),
  },
  {
    ref: 'source',
    type: 'single_choice',
    title: 'Where did you hear of us?',
    options: ['friend', 'web'].map((value) => ({ value, label: value })),
  },
  { ref: 'stays', type: 'boolean', title: 'Will you stay?' },
  { ref: 'seats', type: 'number', title: 'How many are you?' },
  { ref: 'words', type: 'short_text', title: 'What else?' },
  { ref: 'email', type: 'email', title: 'Where can we write to you?' },
] satisfies (Omit<Partial<QuestionInput>, 'options'> & { options?: object[] })[]

/** Answers by the `ref` of their questions. */
export function answersTo(questions: readonly Question[], values: Readonly<Record<string, GivenAnswer['value']>>): GivenAnswer[] {
  return questions.flatMap(({ id, ref }) => (values[ref] === undefined ? [] : [{ question_id: id, value: values[ref] }]))
}

/** Returns an id of a time: a record with it arrived then. */
export function idAt(instant: string | number): string {
  const ms = new Date(instant).getTime()
  const time = ms.toString(16).padStart(12, '0')
  const random = crypto.randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
