import { hashKey } from '@tanstack/react-query'
import type { Condition, Question, QuestionType, Survey, SurveyInput } from '../queries.ts'

/** What the service stores for a question without a text: it refuses an empty one. */
const UNTITLED = 'Untitled question'
const LONGEST = { short_text: 1_000, long_text: 10_000 } as const
export const defaultStars = 5

export interface DraftOption {
  key: string
  value: string
  label: string
  /** Responses may have the value, so a new label keeps it. */
  isKept: boolean
}

/** A question as it is edited: the fields of all types, so that another type loses nothing. Numbers are as they were typed. */
export interface DraftQuestion {
  /** Names the question on the page, also before the service gave it an id. */
  key: string
  id?: string
  type: QuestionType
  ref: string
  title: string
  description: string
  isRequired: boolean
  condition: Condition | null
  options: readonly DraftOption[]
  minChoices: string
  maxChoices: string
  maxLength: string
  stars: number
  lowLabel: string
  highLabel: string
  min: string
  max: string
  isWhole: boolean
}

/** A question with all its fields, as it is stored. */
type NewQuestion = WithoutId<Question>
type WithoutId<Stored> = Stored extends Question ? Omit<Stored, 'id'> & { id?: string } : never

/** A survey as it is edited. */
export interface Draft {
  name: string
  language: string
  questions: readonly DraftQuestion[]
  translations: Survey['translations']
  thankYouText: string
  /** ISO 8601, or empty. */
  closesAt: string
  responseLimit: string
  isOncePerPerson: boolean
}

/** Returns what is edited. Questions that are in `before` keep their keys, so that the focus stays in them. */
export function draftOf(survey: Survey, before?: Draft): Draft {
  const keys = new Map(before?.questions.map(({ id, key }) => [id, key]))
  return {
    name: survey.name,
    language: survey.language,
    questions: survey.questions.map((question) => draftQuestion(question, survey.status !== 'draft', keys.get(question.id))),
    translations: survey.translations,
    thankYouText: survey.thank_you_text ?? '',
    closesAt: survey.closes_at ?? '',
    responseLimit: textOf(survey.response_limit),
    isOncePerPerson: survey.one_per_respondent,
  }
}

/** Returns the questions as respondents get them once the draft is stored. They have the keys of the draft as ids. */
export function shownQuestions(draft: Draft): Question[] {
  return draft.questions.map((question) => ({ ...questionInput(question), id: question.key }))
}

/** Returns the fields of `surveys.update`. */
function inputOf(draft: Draft): Required<SurveyInput> {
  return {
    name: draft.name.trim(),
    language: draft.language,
    questions: draft.questions.map(questionInput),
    translations: translationsInput(draft),
    thank_you_text: draft.thankYouText.trim() || null,
    closes_at: draft.closesAt || null,
    response_limit: numberOf(draft.responseLimit),
    one_per_respondent: draft.isOncePerPerson,
  }
}

/** Returns the fields that differ from the stored survey; null if none does. */
export function changesOf(draft: Draft, survey: Survey): SurveyInput | null {
  const stored = inputOf(draftOf(survey))
  const changed = Object.entries(inputOf(draft)).filter(
    // Proven: both have the same fields. The service gives those of a condition in any order.
    ([field, value]) => hashKey([value]) !== hashKey([stored[field as keyof SurveyInput]]),
  )
  return changed.length === 0 ? null : Object.fromEntries(changed)
}

/** Whether two states of a survey have the same words, questions and settings. */
export function isSameContent(one: Survey, other: Survey): boolean {
  return changesOf(draftOf(one), other) === null
}

/** Gives the questions of the draft the ids that the service gave them. */
export function adoptIds(draft: Draft, sent: Draft, saved: Survey): Draft {
  const ids = new Map(sent.questions.map(({ key, type }, index) => [`${key} ${type}`, saved.questions[index]?.id]))
  const questions = draft.questions.map((question) => {
    const id = ids.get(`${question.key} ${question.type}`)
    return id === undefined || id === question.id ? question : { ...question, id }
  })
  return { ...draft, questions }
}

/** Returns the number that a text is; null for none. */
export function numberOf(text: string): number | null {
  const number = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || Number.isNaN(number) ? null : number
}

function draftQuestion(question: Question, isPublished: boolean, key: string | undefined): DraftQuestion {
  const { id, type, ref, title, description, show_if } = question
  const options = 'options' in question ? question.options : []
  return {
    ...{ key: key ?? id, id, type, ref, condition: show_if },
    title: title === UNTITLED ? '' : title,
    description: description ?? '',
    isRequired: 'required' in question && question.required,
    options: options.map(({ value, label }) => ({ key: value, value, label, isKept: isPublished })),
    minChoices: 'min_choices' in question ? textOf(question.min_choices) : '',
    maxChoices: 'max_choices' in question ? textOf(question.max_choices) : '',
    maxLength: 'max_length' in question && !isLongest(question) ? String(question.max_length) : '',
    stars: question.type === 'rating' ? question.max : defaultStars,
    lowLabel: 'low_label' in question ? (question.low_label ?? '') : '',
    highLabel: 'high_label' in question ? (question.high_label ?? '') : '',
    min: 'min' in question ? textOf(question.min) : '',
    max: 'min' in question ? textOf(question.max) : '',
    isWhole: question.type === 'number' && question.integer,
  }
}

function isLongest({ type, max_length }: Extract<Question, { max_length: number }>): boolean {
  return max_length === LONGEST[type]
}

function questionInput(question: DraftQuestion): NewQuestion {
  const { id, ref, condition, isRequired, min, max } = question
  const common = {
    ...(id !== undefined && { id }),
    ref,
    title: question.title.trim() || UNTITLED,
    description: question.description.trim() || null,
    show_if: condition,
  }
  const answered = { ...common, required: isRequired }
  const labels = { low_label: question.lowLabel.trim() || null, high_label: question.highLabel.trim() || null }
  const options = question.options.map(({ value, label }, index) => ({ value, label: label.trim() || `Option ${index + 1}` }))
  const { type } = question
  switch (type) {
    case 'statement':
      return { type, ...common }
    case 'short_text':
    case 'long_text':
      return { type, ...answered, max_length: numberOf(question.maxLength) ?? LONGEST[type] }
    case 'single_choice':
      return { type, ...answered, options }
    case 'multiple_choice':
      return { type, ...answered, options, min_choices: numberOf(question.minChoices), max_choices: numberOf(question.maxChoices) }
    case 'rating':
      return { type, ...answered, ...labels, max: question.stars }
    case 'nps':
    case 'csat':
    case 'ces':
      return { type, ...answered, ...labels }
    case 'number':
      return { type, ...answered, min: numberOf(min), max: numberOf(max), integer: question.isWhole }
    case 'date':
      return { type, ...answered, min: min || null, max: max || null }
    default:
      return { type, ...answered }
  }
}

/** Leaves out empty texts and those of questions and choices that are gone. */
function translationsInput({ translations, questions }: Draft): Survey['translations'] {
  const kept = Object.entries(translations).map(([language, { questions: texts = {}, thank_you_text }]) => {
    const byRef = questions.flatMap(({ ref, options }) => {
      const { options: labels = {}, ...others } = texts[ref] ?? {}
      const known = options.flatMap(({ value }) => (labels[value]?.trim() ? [[value, labels[value]]] : []))
      const filled = Object.fromEntries(Object.entries(others).filter(([, text]) => text?.trim()))
      const all = { ...filled, ...(known.length > 0 && { options: Object.fromEntries(known) }) }
      return Object.keys(all).length > 0 ? [[ref, all]] : []
    })
    const words = { ...(byRef.length > 0 && { questions: Object.fromEntries(byRef) }), ...(thank_you_text?.trim() && { thank_you_text }) }
    return [language, words]
  })
  return Object.fromEntries(kept)
}

function textOf(value: number | string | null): string {
  return value === null ? '' : String(value)
}
