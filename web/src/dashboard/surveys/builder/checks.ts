import { serviceNow } from '../../clock.ts'
import { languageName } from '../languages.ts'
import { ruleProblem, titleOf } from './conditions.ts'
import { type Draft, type DraftQuestion, numberOf } from './draft.ts'
import { shareTranslated, translatableOf } from './texts.ts'

const REF = /^[a-z][a-z0-9_]{0,49}$/

/** What is wrong with a question, by its field, as the service names it: `show_if.rules.0.ref`. */
export type Problems = ReadonlyMap<string, string>

/** One line of the list before a survey is published. */
export interface Check {
  look: 'good' | 'bad' | 'warn'
  text: string
  /** The question that it is about. */
  question?: DraftQuestion
}

/** Returns what the service would refuse, by the key of the question. */
export function problemsOf({ questions }: Draft): ReadonlyMap<string, Problems> {
  const found = questions.map((question, index): [string, Problems] => {
    const earlier = questions.slice(0, index)
    return [question.key, new Map([...ownProblems(question), ...placeProblems(question, earlier, questions)])]
  })
  return new Map(found.filter(([, problems]) => problems.size > 0))
}

/** Returns what to look at before a survey is published: first what prevents it. */
export function checksOf(draft: Draft): Check[] {
  const { questions, closesAt } = draft
  const problems = problemsOf(draft)
  const asked = questions.filter(({ type }) => type !== 'statement')
  const bad: Check[] = questions.flatMap((question, index) => [
    ...(question.title.trim() ? [] : [{ look: 'bad' as const, text: `Question ${index + 1} has no text.`, question }]),
    ...(question.options.some(({ label }) => !label.trim())
      ? [{ look: 'bad' as const, text: `Question ${index + 1} has a choice without a text.`, question }]
      : []),
    ...(problems.has(question.key) ? [{ look: 'bad' as const, text: `Question ${index + 1} has an error.`, question }] : []),
  ])
  if (asked.length === 0) bad.unshift({ look: 'bad', text: 'There is no question to answer yet.' })
  if (closesAt && Date.parse(closesAt) <= serviceNow()) bad.push({ look: 'bad', text: 'The closing time is in the past.' })
  const good: Check[] = bad.length === 0 ? [{ look: 'good', text: `${countOf(asked.length)}, all complete.` }] : []
  return [...bad, ...good, ...warningsOf(draft)]
}

function warningsOf(draft: Draft): Check[] {
  const checks: Check[] = Object.keys(draft.translations).map((language) => {
    const share = shareTranslated(draft, language)
    const isDone = share === 1
    const rest = isDone ? 'complete' : `${Math.floor(share * 100)}% translated; the rest is shown in ${languageName(draft.language)}`
    return { look: isDone ? 'good' : 'warn', text: `${languageName(language)}: ${rest}.` }
  })
  const personal = draft.questions.find(({ type }) => type === 'email')
  if (personal && !draft.questions.some(({ type }) => type === 'consent'))
    checks.push({
      look: 'warn',
      text: 'You ask for an e-mail address without asking for consent. Say what you use it for.',
      question: personal,
    })
  if (translatableOf(draft).length > 0 && !draft.thankYouText.trim())
    checks.push({ look: 'warn', text: 'There is no thank-you text. Respondents see a short “Thank you”.' })
  return checks
}

function ownProblems(question: DraftQuestion): [string, string][] {
  const { type, ref, min, max, minChoices, maxChoices, maxLength, options } = question
  const problems: [string, string][] = []
  if (!REF.test(ref)) problems.push(['ref', 'Use lower-case letters, digits and underscores, and begin with a letter.'])
  if (type === 'number') problems.push(...numbersProblem({ min, max }))
  if (type === 'date' && min && max && min > max) problems.push(['max', 'The latest date is before the earliest one.'])
  if (type === 'short_text' || type === 'long_text') problems.push(...lengthProblem(maxLength, type === 'short_text' ? 1_000 : 10_000))
  if (type === 'multiple_choice') {
    problems.push(...numbersProblem({ min_choices: minChoices, max_choices: maxChoices }))
    const most = numberOf(maxChoices)
    if (most !== null && (most > options.length || most < 1)) problems.push(['max_choices', `Use a number from 1 to ${options.length}.`])
    const least = numberOf(minChoices)
    if (least !== null && (least > options.length || least < 0)) problems.push(['min_choices', `Use a number from 0 to ${options.length}.`])
  }
  return problems
}

function placeProblems(question: DraftQuestion, earlier: readonly DraftQuestion[], all: readonly DraftQuestion[]): [string, string][] {
  const problems: [string, string][] = []
  const twin = earlier.find(({ ref }) => ref === question.ref)
  if (twin) problems.push(['ref', `“${titleOf(twin)}” has this name already.`])
  if (question.type === 'nps' && earlier.some(({ type }) => type === 'nps'))
    problems.push(['type', 'A survey has at most one NPS question. Choose another type, or remove one of them.'])
  for (const [index, rule] of (question.condition?.rules ?? []).entries()) {
    const problem = ruleProblem(rule, earlier, all)
    if (problem !== null) problems.push([`show_if.rules.${index}`, problem])
  }
  return problems
}

/** The first bound must be at most the second; both are numbers or empty. */
function numbersProblem(bounds: Record<string, string>): [string, string][] {
  const problems = Object.entries(bounds).flatMap(([field, text]): [string, string][] =>
    text.trim() !== '' && numberOf(text) === null ? [[field, 'Use a number.']] : [],
  )
  const [low, high] = Object.entries(bounds)
  const [least, most] = [numberOf(low?.[1] ?? ''), numberOf(high?.[1] ?? '')]
  if (high && least !== null && most !== null && least > most) problems.push([high[0], 'The largest is less than the smallest.'])
  return problems
}

function lengthProblem(text: string, most: number): [string, string][] {
  const length = numberOf(text)
  const isFine = text.trim() === '' || (length !== null && Number.isInteger(length) && length >= 1 && length <= most)
  return isFine ? [] : [['max_length', `Use a whole number from 1 to ${most.toLocaleString('en')}.`]]
}

function countOf(count: number): string {
  return count === 1 ? 'One question' : `${count} questions`
}
