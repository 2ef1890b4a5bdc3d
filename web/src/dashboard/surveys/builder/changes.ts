import type { ConditionRule, QuestionType } from '../queries.ts'
import { hasOptions, questionTypes } from '../question-types.ts'
import { type Draft, type DraftOption, type DraftQuestion, defaultStars } from './draft.ts'

const MAX_REF = 50
const MAX_VALUE = 60

/** Returns a question of a type as it begins. */
export function newQuestion(type: QuestionType, draft: Draft): DraftQuestion {
  const question = {
    key: crypto.randomUUID(),
    ...{ type, ref: freeRef(type, draft), title: questionTypes[type].title, description: '', isRequired: false, condition: null },
    ...{ options: [], minChoices: '', maxChoices: '', maxLength: '', stars: defaultStars },
    ...{ lowLabel: '', highLabel: '', min: '', max: '', isWhole: false },
  }
  return hasOptions(type) ? { ...question, options: withOptions([], ['Option 1', 'Option 2']) } : { ...question, ...labelsOf(type) }
}

export function addQuestion(draft: Draft, question: DraftQuestion, at = draft.questions.length): Draft {
  return { ...draft, questions: draft.questions.toSpliced(at, 0, question) }
}

/** Puts a copy behind a question, with its translations. */
export function duplicateQuestion(draft: Draft, key: string): Draft {
  const at = draft.questions.findIndex((question) => question.key === key)
  const original = draft.questions[at]
  if (!original) return draft
  const { id: _id, ...fields } = original
  const copy = { ...fields, key: crypto.randomUUID(), ref: freeRef(original.ref, draft) }
  const translations = mapTexts(draft.translations, (texts) => ({
    ...texts,
    ...(texts[original.ref] && { [copy.ref]: texts[original.ref] }),
  }))
  return addQuestion({ ...draft, translations }, copy, at + 1)
}

export function removeQuestion(draft: Draft, key: string): Draft {
  return { ...draft, questions: draft.questions.filter((question) => question.key !== key) }
}

/** Moves a question to a place. */
export function moveQuestion(draft: Draft, key: string, to: number): Draft {
  const question = draft.questions.find((one) => one.key === key)
  if (!question || to < 0 || to >= draft.questions.length) return draft
  return addQuestion(removeQuestion(draft, key), question, to)
}

export function changeQuestion(draft: Draft, key: string, change: Partial<DraftQuestion>): Draft {
  return { ...draft, questions: draft.questions.map((question) => (question.key === key ? { ...question, ...change } : question)) }
}

/** Changes the type. The results of the old type stay with the versions that had it, so it is a new question for the service. */
export function changeType(draft: Draft, key: string, type: QuestionType): Draft {
  const questions = draft.questions.map((question) => {
    if (question.key !== key || question.type === type) return question
    const { id: _id, ...fields } = question
    const options = hasOptions(type) && fields.options.length === 0 ? withOptions([], ['Option 1', 'Option 2']) : fields.options
    return { ...fields, type, options, title: fields.title || questionTypes[type].title }
  })
  return { ...draft, questions }
}

/** Changes the `ref` wherever it is used: in conditions and translations. */
export function changeRef(draft: Draft, key: string, ref: string): Draft {
  const old = draft.questions.find((question) => question.key === key)?.ref
  // While two questions have one ref, nobody knows which of them is meant.
  const isShared = draft.questions.some((question) => question.key !== key && (question.ref === old || question.ref === ref))
  const changed = changeQuestion(draft, key, { ref })
  if (old === undefined || isShared) return changed
  const rename = (rule: ConditionRule) => (rule.ref === old ? { ...rule, ref } : rule)
  const translations = mapTexts(draft.translations, ({ [old]: texts, ...others }) => (texts ? { ...others, [ref]: texts } : others))
  return { ...mapRules(changed, rename), translations }
}

/** Changes the label of a choice. Its value follows as long as no response can have it. */
export function changeOption(draft: Draft, key: string, option: DraftOption, label: string): Draft {
  const question = draft.questions.find((one) => one.key === key)
  if (!question) return draft
  const others = question.options.filter((one) => one.key !== option.key)
  const isOwn = option.value !== optionValue(option.label, others)
  const value = option.isKept || isOwn ? option.value : optionValue(label, others)
  const options = question.options.map((one) => (one.key === option.key ? { ...one, label, value } : one))
  const changed = changeQuestion(draft, key, { options })
  return value === option.value ? changed : renameValue(changed, question.ref, option.value, value)
}

/** Adds choices, without those that are there. */
export function withOptions(options: readonly DraftOption[], labels: readonly string[]): readonly DraftOption[] {
  const all = [...options]
  for (const label of labels.map((text) => text.trim())) {
    const isNew = label !== '' && !all.some((one) => one.label.trim() === label)
    if (isNew) all.push({ key: crypto.randomUUID(), value: optionValue(label, all), label, isKept: false })
  }
  return all
}

function renameValue(draft: Draft, ref: string, old: string, value: string): Draft {
  const rename = (rule: ConditionRule): ConditionRule => {
    if (rule.ref !== ref) return rule
    if (Array.isArray(rule.value)) return { ...rule, value: rule.value.map((one) => (one === old ? value : one)) }
    return rule.value === old ? { ...rule, value } : rule
  }
  const translations = mapTexts(draft.translations, (texts) => {
    const label = texts[ref]?.options?.[old]
    if (label === undefined) return texts
    const { [old]: _old, ...labels } = texts[ref]?.options ?? {}
    return { ...texts, [ref]: { ...texts[ref], options: { ...labels, [value]: label } } }
  })
  return { ...mapRules(draft, rename), translations }
}

type Translations = Draft['translations']
type Texts = NonNullable<Translations[string]['questions']>

function mapTexts(translations: Translations, change: (texts: Texts) => Record<string, Texts[string] | undefined>): Translations {
  const entries = Object.entries(translations).map(([language, words]) => [
    language,
    { ...words, questions: change(words.questions ?? {}) },
  ])
  return Object.fromEntries(entries)
}

function mapRules(draft: Draft, change: (rule: ConditionRule) => ConditionRule): Draft {
  const questions = draft.questions.map((question) =>
    question.condition ? { ...question, condition: { ...question.condition, rules: question.condition.rules.map(change) } } : question,
  )
  return { ...draft, questions }
}

/** Returns a ref that no question has: `rating`, then `rating_2`. */
function freeRef(wanted: string, { questions }: Draft): string {
  const stem = wanted.replace(/_\d+$/, '').slice(0, MAX_REF - 4)
  const taken = new Set(questions.map(({ ref }) => ref))
  return [stem, ...numbered(stem, questions.length + 2)].find((ref) => !taken.has(ref)) ?? stem
}

/** Returns the value of a new choice, made of its label. */
function optionValue(label: string, others: readonly DraftOption[]): string {
  const words = label
    .toLowerCase()
    .normalize('NFC')
    .match(/[\p{L}\p{N}]+/gu) ?? ['option']
  const stem = [...words.join('_')].slice(0, MAX_VALUE).join('')
  const taken = new Set(others.map(({ value }) => value))
  return [stem, ...numbered(stem, others.length + 2)].find((value) => !taken.has(value)) ?? stem
}

function numbered(stem: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${stem}_${index + 2}`)
}

/** The usual words at the ends of a scale. */
function labelsOf(type: QuestionType): Partial<DraftQuestion> {
  if (type === 'nps') return { lowLabel: 'Not at all likely', highLabel: 'Extremely likely' }
  if (type === 'csat') return { lowLabel: 'Very unsatisfied', highLabel: 'Very satisfied' }
  return type === 'ces' ? { lowLabel: 'Very difficult', highLabel: 'Very easy' } : {}
}
