import { fixedScales } from '@earshot/contracts/constants'
import type { IconName } from '../ui/icon.tsx'
import type { QuestionType } from './queries.ts'

interface TypeTexts {
  label: string
  icon: IconName
  group: 'Scales' | 'Choices' | 'Texts' | 'Facts' | 'Without an answer'
  /** What a new question of the type begins with. */
  title: string
}

/** The types of questions in words, in the order of the menu. */
export const questionTypes: Record<QuestionType, TypeTexts> = {
  nps: {
    label: 'NPS',
    icon: 'gauge',
    group: 'Scales',
    title: 'How likely are you to recommend us to a friend or colleague?',
  },
  csat: { label: 'Satisfaction (CSAT)', icon: 'meter', group: 'Scales', title: 'How satisfied are you with us?' },
  ces: { label: 'Effort (CES)', icon: 'meter', group: 'Scales', title: 'How easy was it to do what you came for?' },
  rating: { label: 'Stars', icon: 'star', group: 'Scales', title: '' },
  single_choice: { label: 'One choice', icon: 'check', group: 'Choices', title: '' },
  multiple_choice: { label: 'Several choices', icon: 'survey', group: 'Choices', title: '' },
  boolean: { label: 'Yes or no', icon: 'check', group: 'Choices', title: '' },
  short_text: { label: 'Short text', icon: 'edit', group: 'Texts', title: '' },
  long_text: { label: 'Long text', icon: 'quote', group: 'Texts', title: '' },
  number: { label: 'Number', icon: 'chart', group: 'Facts', title: '' },
  date: { label: 'Date', icon: 'clock', group: 'Facts', title: '' },
  email: { label: 'E-mail address', icon: 'inbox', group: 'Facts', title: 'What is your e-mail address?' },
  url: { label: 'Web address', icon: 'link', group: 'Facts', title: '' },
  consent: { label: 'Consent', icon: 'shield', group: 'Facts', title: '' },
  statement: { label: 'Statement', icon: 'info', group: 'Without an answer', title: '' },
}

/** The types in the order of the menu. */
// Proven: the keys of a complete record.
export const typeOrder = Object.keys(questionTypes) as QuestionType[]

/** Returns the values of a scale, lowest first; null for types without one. */
export function scaleOf(type: QuestionType, stars: number): number[] | null {
  if (type === 'rating') return rangeOf(1, stars)
  if (type !== 'nps' && type !== 'csat' && type !== 'ces') return null
  return rangeOf(fixedScales[type].min, fixedScales[type].max)
}

export function hasOptions(type: QuestionType): boolean {
  return type === 'single_choice' || type === 'multiple_choice'
}

function rangeOf(min: number, max: number): number[] {
  return Array.from({ length: max - min + 1 }, (_, index) => min + index)
}
