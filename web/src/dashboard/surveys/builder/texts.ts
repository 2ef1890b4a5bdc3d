import type { Draft, DraftQuestion } from './draft.ts'

type Words = Draft['translations'][string]

/** A text of a survey that has a translation, with the place of the translation. */
export interface Translatable {
  /** Unique on the page. */
  id: string
  label: string
  base: string
  /** Long texts have several lines. */
  isLong: boolean
  read: (words: Words) => string
  write: (words: Words, text: string) => Words
}

interface TranslatableGroup {
  /** The question; null for the texts of the survey. */
  question: DraftQuestion | null
  texts: Translatable[]
}

/** Returns all texts that respondents see, in their order. */
export function translatableOf(draft: Draft): TranslatableGroup[] {
  const groups: TranslatableGroup[] = draft.questions.map((question) => ({ question, texts: textsOf(question) }))
  const thanks: Translatable = {
    ...{ id: 'thanks', label: 'Thank-you text', base: draft.thankYouText, isLong: true },
    read: ({ thank_you_text = '' }) => thank_you_text,
    write: (words, text) => ({ ...words, thank_you_text: text }),
  }
  return [...groups, { question: null, texts: draft.thankYouText.trim() ? [thanks] : [] }].filter(({ texts }) => texts.length > 0)
}

/** Returns how much of a language is translated, 0 to 1. */
export function shareTranslated(draft: Draft, language: string): number {
  const words = draft.translations[language] ?? {}
  const texts = translatableOf(draft).flatMap((group) => group.texts)
  return texts.length === 0 ? 1 : texts.filter(({ read }) => read(words).trim() !== '').length / texts.length
}

/** Returns the draft with the texts of a language, as a respondent who prefers it sees them. */
export function inLanguage(draft: Draft, language: string): Draft {
  const words = draft.translations[language]
  if (!words) return draft
  const questions = draft.questions.map((question) => {
    const { title, description, low_label, high_label, options = {} } = words.questions?.[question.ref] ?? {}
    return {
      ...question,
      title: title?.trim() || question.title,
      description: description?.trim() || question.description,
      lowLabel: low_label?.trim() || question.lowLabel,
      highLabel: high_label?.trim() || question.highLabel,
      options: question.options.map((option) => ({ ...option, label: options[option.value]?.trim() || option.label })),
    }
  })
  return { ...draft, questions, thankYouText: words.thank_you_text?.trim() || draft.thankYouText }
}

function textsOf(question: DraftQuestion): Translatable[] {
  const { ref, type, title, description, lowLabel, highLabel, options } = question
  const hasLabels = ['nps', 'csat', 'ces', 'rating'].includes(type)
  const fields = [
    { field: 'title' as const, label: 'Question', base: title, isLong: false },
    { field: 'description' as const, label: 'Description', base: description, isLong: true },
    ...(hasLabels ? [{ field: 'low_label' as const, label: 'Lowest value', base: lowLabel, isLong: false }] : []),
    ...(hasLabels ? [{ field: 'high_label' as const, label: 'Highest value', base: highLabel, isLong: false }] : []),
  ].filter(({ base }) => base.trim())
  const own = fields.map(({ field, label, base, isLong }): Translatable => {
    const read = (words: Words) => words.questions?.[ref]?.[field] ?? ''
    return { id: `${ref}.${field}`, label, base, isLong, read, write: (words, text) => withTexts(words, ref, { [field]: text }) }
  })
  const choices = hasOptionTexts(type) ? options : []
  return [...own, ...choices.map(({ value, label }, index) => optionText({ ref, value, label: `Choice ${index + 1}`, base: label }))]
}

function optionText({ ref, value, label, base }: { ref: string; value: string; label: string; base: string }): Translatable {
  return {
    ...{ id: `${ref}.options.${value}`, label, base, isLong: false },
    read: (words) => words.questions?.[ref]?.options?.[value] ?? '',
    write: (words, text) => withTexts(words, ref, { options: { ...words.questions?.[ref]?.options, [value]: text } }),
  }
}

function hasOptionTexts(type: DraftQuestion['type']): boolean {
  return type === 'single_choice' || type === 'multiple_choice'
}

type QuestionTexts = NonNullable<Words['questions']>[string]

function withTexts(words: Words, ref: string, texts: QuestionTexts): Words {
  return { ...words, questions: { ...words.questions, [ref]: { ...words.questions?.[ref], ...texts } } }
}
