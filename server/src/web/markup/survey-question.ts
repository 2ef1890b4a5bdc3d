import type { Question } from '@earshot/contracts'
import { fixedScales } from '@earshot/contracts/constants'
import { type Html, html } from '../../pages/html.ts'
import { inputName } from './survey-problems.ts'
import { count, fill, type Locale } from './texts.ts'

const STAR = 'm12 1.8 3.1 6.6 7.2.9-5.3 5 1.4 7.1L12 17.9l-6.4 3.5L7 14.3 1.7 9.3l7.2-.9z'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** More stars than this are numbers. */
const MAX_STARS = 5

interface QuestionPage {
  locale: Locale
  form: Readonly<Record<string, string | undefined>>
  /** What is wrong with the answer, if anything is. */
  problem: string | undefined
  /** Of the texts of the survey. */
  language: string
}

/** Renders a question of any type. All are on the page; the script shows one after the other. */
export function questionOf(question: Question, page: QuestionPage): Html {
  const { ref, title, description, type } = question
  const { problem, locale, language } = page
  const isRequired = type !== 'statement' && question.required
  return html`<fieldset class="question" id="q-${ref}" data-ref="${ref}" tabindex="-1"${problem !== undefined && html` aria-describedby="q-${ref}-problem"`}>
<legend lang="${language}"><span id="q-${ref}-title" dir="auto">${title}</span>${isRequired && html` <small lang="${locale.language}">${locale.messages.survey.required}</small>`}</legend>
${description !== null && html`<p class="about" dir="auto" lang="${language}">${description}</p>`}
${type !== 'statement' && html`<div class="answer">${answerOf(question, page)}</div>`}
<p class="problem" id="q-${ref}-problem">${problem}</p>
</fieldset>`
}

function answerOf(question: Question, page: QuestionPage): Html {
  const { survey } = page.locale.messages
  switch (question.type) {
    case 'single_choice':
      return choices(question.options, { ...page, name: () => inputName(question.ref), kind: 'radio' })
    case 'multiple_choice':
      return html`<p class="about">${hintOf(question, page.locale)}</p>${choices(question.options, { ...page, name: (index) => inputName(question.ref, index), kind: 'checkbox' })}`
    case 'boolean': {
      const options = [
        { value: 'yes', label: survey.yes },
        { value: 'no', label: survey.no },
      ]
      return choices(options, { ...page, name: () => inputName(question.ref), kind: 'radio' })
    }
    case 'consent':
      return choices([{ value: 'yes', label: survey.agree }], { ...page, name: () => inputName(question.ref), kind: 'checkbox' })
    case 'rating':
      return scale({ min: 1, ...question }, page)
    case 'nps':
    case 'csat':
    case 'ces':
      return scale({ ...fixedScales[question.type], ...question }, page)
    default:
      return typed(question, page)
  }
}

interface Choices extends QuestionPage {
  name: (index: number) => string
  kind: 'radio' | 'checkbox'
}

/** Letters choose, as they are written beside the options. */
function choices(options: readonly { value: string; label: string }[], { name, kind, form, language }: Choices): Html {
  const items = options.map(({ value, label }, index) => {
    const letter = LETTERS[index]
    return html`<label class="choice"><input type="${kind}" name="${name(index)}" value="${value}"${form[name(index)] === value && html` checked`}>${letter !== undefined && html`<kbd aria-hidden="true">${letter}</kbd>`}<span dir="auto" lang="${language}">${label}</span></label>`
  })
  return html`<div class="choices">${items}</div>`
}

interface Scale {
  ref: string
  type: string
  min: number
  max: number
  low_label: string | null
  high_label: string | null
}

function scale({ ref, type, min, max, low_label, high_label }: Scale, { locale, form, language }: QuestionPage): Html {
  const hasStars = type === 'rating' && max <= MAX_STARS
  const name = inputName(ref)
  const items = Array.from({ length: max - min + 1 }, (_value, index) => {
    const value = min + index
    const shown = hasStars
      ? html`<span class="sr">${fill(locale.messages.form.stars, { count: value, max })}</span><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${STAR}"/></svg>`
      : html`<span>${value}</span>`
    return html`<label><input type="radio" name="${name}" value="${value}"${form[name] === String(value) && html` checked`}>${shown}</label>`
  })
  const ends = (low_label ?? high_label) !== null
  return html`<div class="${hasStars ? 'five' : 'scale'}">${items}</div>
${ends && html`<p class="ends" lang="${language}"><span dir="auto">${low_label}</span><span dir="auto">${high_label}</span></p>`}`
}

function typed(question: Question, { form }: QuestionPage): Html {
  const { ref, type } = question
  const name = inputName(ref)
  const value = form[name]
  const labelled = html` name="${name}" aria-labelledby="q-${ref}-title" dir="auto"`
  const field = (attributes: Html) =>
    html`<div class="field"><input${labelled}${attributes} value="${value}" autocomplete="${autocompleteOf(type)}"></div>`
  switch (type) {
    case 'long_text':
      return html`<div class="field"><textarea${labelled} rows="4">
${value}</textarea></div>`
    case 'number':
      return field(
        html` type="number" step="${question.integer ? '1' : 'any'}"${question.min !== null && html` min="${question.min}"`}${question.max !== null && html` max="${question.max}"`}`,
      )
    case 'date':
      return field(
        html` type="date"${question.min !== null && html` min="${question.min}"`}${question.max !== null && html` max="${question.max}"`}`,
      )
    case 'email':
      return field(html` type="email" inputmode="email"`)
    case 'url':
      return field(html` type="url" inputmode="url" placeholder="https://"`)
    default:
      return field(html` type="text"`)
  }
}

function autocompleteOf(type: string): string {
  return type === 'email' || type === 'url' ? type : 'off'
}

function hintOf({ min_choices, max_choices }: { min_choices: number | null; max_choices: number | null }, locale: Locale): string {
  const { survey } = locale.messages
  if (min_choices !== null && min_choices > 0 && max_choices !== null) return fill(survey.between, { min: min_choices, max: max_choices })
  if (max_choices !== null) return count(locale, survey.atMost, max_choices)
  return min_choices !== null && min_choices > 0 ? count(locale, survey.atLeast, min_choices) : survey.anyNumber
}
