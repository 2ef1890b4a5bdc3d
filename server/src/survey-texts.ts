import type { Question, QuestionTexts, Translations } from '@earshot/contracts'
import { lookup } from 'bcp-47-match'

/** The texts of a survey, in one language and its translations. */
interface SurveyTexts {
  language: string
  questions: readonly Question[]
  translations: Translations
  thank_you_text: string | null
}

/**
 * Returns a survey's texts in the best match of the wanted language (RFC 4647 §3.4: `de-CH` finds `de`), else in its own. What a
 * translation leaves out stays in the survey's own language.
 */
export function translateSurvey({ language: own, questions, translations, thank_you_text }: SurveyTexts, wanted?: string) {
  const languages = [own, ...Object.keys(translations).filter((name) => name !== own)]
  const language = (wanted && lookup(languages, wanted)) || own
  const texts = translations[language]
  return {
    language,
    languages,
    questions: questions.map((question) => translateQuestion(question, texts?.questions?.[question.ref])),
    thank_you_text: texts?.thank_you_text ?? thank_you_text,
  }
}

function translateQuestion<Asked extends Question>(question: Asked, { options: labels = {}, ...texts }: QuestionTexts = {}): Asked {
  const known = Object.entries(texts).filter(([name, text]) => name in question && text !== undefined)
  const options = 'options' in question && {
    options: question.options.map((option) => ({ ...option, label: labels[option.value] ?? option.label })),
  }
  return { ...question, ...Object.fromEntries(known), ...options }
}
