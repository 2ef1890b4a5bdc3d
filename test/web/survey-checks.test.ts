import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addQuestion, changeQuestion, moveQuestion, newQuestion, removeQuestion } from '../../web/src/dashboard/surveys/builder/changes.ts'
import { checksOf, problemsOf } from '../../web/src/dashboard/surveys/builder/checks.ts'
import {
  choicesOf,
  describeCondition,
  newRule,
  numbersOf,
  operatorsOf,
  ruleProblem,
  ruleWith,
} from '../../web/src/dashboard/surveys/builder/conditions.ts'
import { type Draft, type DraftQuestion, draftOf } from '../../web/src/dashboard/surveys/builder/draft.ts'
import { inLanguage, shareTranslated, translatableOf } from '../../web/src/dashboard/surveys/builder/texts.ts'
import type { ConditionRule } from '../../web/src/dashboard/surveys/queries.ts'
import { typeOrder } from '../../web/src/dashboard/surveys/question-types.ts'
import { surveyOf } from './records.ts'
import { questionOf } from './survey-desk.ts'

const draft = draftOf(surveyOf())
const [nps, why] = draft.questions as [DraftQuestion, DraftQuestion]

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-03T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

describe('the builder finds what the service would refuse:', () => {
  test('nothing in a survey that is right', () => {
    expect(problemsOf(draft).size).toBe(0)
  })

  test.each<[string, string, Partial<DraftQuestion>]>([
    ['a name with a capital letter', 'ref', { ref: 'Why' }],
    ['a name that begins with a digit', 'ref', { ref: '1st' }],
    ['an empty name', 'ref', { ref: '' }],
    ['a name of another question', 'ref', { ref: 'nps' }],
    ['a length that is no number', 'max_length', { maxLength: 'long' }],
    ['a length of nothing', 'max_length', { maxLength: '0' }],
    ['a length above that of the type', 'max_length', { maxLength: '10001' }],
    ['a length that is no whole number', 'max_length', { maxLength: '1,5' }],
    ['bounds that are no numbers', 'min', { type: 'number', min: 'few' }],
    ['bounds in the wrong order', 'max', { type: 'number', min: '5', max: '3' }],
    ['dates in the wrong order', 'max', { type: 'date', min: '2026-02-01', max: '2026-01-31' }],
    ['more choices than there are', 'max_choices', { type: 'multiple_choice', maxChoices: '1' }],
    ['fewer choices than none', 'min_choices', { type: 'multiple_choice', minChoices: '-1' }],
    ['a second NPS question', 'type', { type: 'nps' }],
  ])('%s', (_name, field, change) => {
    const problems = problemsOf(changeQuestion(draft, 'q-why', change))
    expect([...problems.keys()]).toEqual(['q-why'])
    expect([...(problems.get('q-why')?.keys() ?? [])]).toContain(field)
  })

  test('a condition on a question that comes later now, or is gone', () => {
    expect(
      problemsOf(moveQuestion(draft, 'q-why', 0))
        .get('q-why')
        ?.get('show_if.rules.0'),
    ).toMatch(/comes later now/)
    expect(problemsOf(removeQuestion(draft, 'q-nps')).get('q-why')?.get('show_if.rules.0')).toMatch(/was removed/)
  })
})

describe('before a survey is published,', () => {
  const texts = (changed: Draft) => checksOf(changed).map(({ look, text }) => `${look}: ${text}`)

  test('a complete one is said to be complete', () => {
    expect(texts({ ...draft, thankYouText: 'Thanks' })).toEqual(['good: 2 questions, all complete.'])
  })

  test('one without anything to answer is not', () => {
    const statement = newQuestion('statement', draft)
    expect(texts({ ...draft, questions: [{ ...statement, title: 'Hello' }] })[0]).toBe('bad: There is no question to answer yet.')
  })

  test('questions and choices without a text are named', () => {
    const choice = { ...newQuestion('single_choice', draft), options: [{ key: 'o', value: 'o', label: ' ', isKept: false }] }
    expect(texts(addQuestion(changeQuestion(draft, 'q-why', { title: '' }), choice)).slice(0, 3)).toEqual([
      'bad: Question 2 has no text.',
      'bad: Question 3 has no text.',
      'bad: Question 3 has a choice without a text.',
    ])
  })

  test('a closing time must be in the future', () => {
    expect(texts({ ...draft, closesAt: '2026-11-03T12:00:00Z' })[0]).toBe('bad: The closing time is in the past.')
    expect(texts({ ...draft, closesAt: '2026-11-03T12:00:01Z' })[0]).toBe('good: 2 questions, all complete.')
  })

  test('an e-mail address without consent, and a missing thank-you text, are warned about', () => {
    const email = addQuestion(draft, { ...newQuestion('email', draft), key: 'e' })
    expect(texts(email).slice(1)).toEqual([
      expect.stringMatching(/^warn: You ask for an e-mail/),
      expect.stringMatching(/^warn: There is no thank-you/),
    ])
    expect(texts({ ...addQuestion(email, { ...newQuestion('consent', email), title: 'OK?' }), thankYouText: 'Thanks' })).toHaveLength(1)
  })

  test('a translation is complete only when every text has one', () => {
    const half = { ...draft, thankYouText: 'Thanks', translations: { de: { questions: { nps: { title: 'Empfehlen?' } } } } }
    expect(texts(half)[1]).toBe('warn: German: 33% translated; the rest is shown in English.')
    const whole = { ...half, translations: { de: { questions: { nps: { title: 'E?' }, why: { title: 'W?' } }, thank_you_text: 'Danke' } } }
    expect(texts(whole)[1]).toBe('good: German: complete.')
  })
})

describe('a condition', () => {
  test.each(typeOrder.filter((type) => type !== 'statement'))(
    'on a question of the type %s begins with a rule that fits, if it has values',
    (type) => {
      const question = { ...newQuestion(type, draft), ref: 'asked' }
      const rule = newRule(question)
      expect(operatorsOf(type).map(({ value }) => value)).toContain(rule.op)
      const isTyped = rule.value === ''
      expect(ruleProblem(rule, [question], [question])).toBe(isTyped ? 'Choose a value that the answer can have.' : null)
    },
  )

  test('keeps its value under another comparison, if it fits', () => {
    expect(ruleWith(nps, 'one_of', 6)).toEqual({ ref: 'nps', op: 'one_of', value: [6] })
    expect(ruleWith(nps, 'gte', [6, 7])).toEqual({ ref: 'nps', op: 'gte', value: 6 })
    expect(ruleWith(nps, 'answered', 6)).toEqual({ ref: 'nps', op: 'answered' })
  })

  test.each<[string, ConditionRule]>([
    ['a score above the scale', { ref: 'nps', op: 'equals', value: 11 }],
    ['a text where a score is', { ref: 'nps', op: 'equals', value: '6' }],
    ['none of several values', { ref: 'nps', op: 'one_of', value: [] }],
    ['one wrong value of several', { ref: 'nps', op: 'one_of', value: [6, 12] }],
  ])('does not fit with %s', (_name, rule) => {
    expect(ruleProblem(rule, [nps], draft.questions)).toBe('Choose a value that the answer can have.')
  })

  test('does not fit with a comparison of another type', () => {
    expect(ruleProblem({ ref: 'why', op: 'gte', value: 6 }, [why], draft.questions)).toMatch(/does not fit the type/)
  })

  test('is said in words', () => {
    const rules = [
      { ref: 'nps', op: 'lte', value: 6 },
      { ref: 'gone', op: 'answered' },
    ] as const
    expect(describeCondition({ match: 'any', rules: [...rules] }, draft.questions)).toBe(
      '“Would you recommend us?” is at most 6 or a removed question is answered',
    )
    const choice = { ...newQuestion('boolean', draft), ref: 'is_customer', title: 'Customer?' }
    expect(describeCondition({ match: 'all', rules: [{ ref: 'is_customer', op: 'equals', value: true }] }, [choice])).toBe(
      '“Customer?” is Yes',
    )
  })

  test('offers the answers of a scale, of choices, or none where they are typed', () => {
    expect(choicesOf(nps)?.map(({ value }) => value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(choicesOf({ ...newQuestion('rating', draft), stars: 3 })?.map(({ value }) => value)).toEqual([1, 2, 3])
    expect(choicesOf(why)).toBeNull()
  })

  test('takes several numbers with spaces, semicolons or commas between them', () => {
    expect(['1, 2', '1;2', '1 2', '1,5; 2', 'a 3', ''].map(numbersOf)).toEqual([[1, 2], [1, 2], [1, 2], [1.5, 2], [3], []])
  })
})

describe('a translation', () => {
  test('is written where it is read, and shown instead of the text', () => {
    let changed: Draft = { ...draft, thankYouText: 'Thanks', translations: { de: {} } }
    for (const { read, write, id } of translatableOf(changed).flatMap(({ texts }) => texts)) {
      const words = write(changed.translations.de ?? {}, `Deutsch: ${id}`)
      expect(read(words)).toBe(`Deutsch: ${id}`)
      changed = { ...changed, translations: { de: words } }
    }
    expect(shareTranslated(changed, 'de')).toBe(1)
    const german = inLanguage(changed, 'de')
    expect([questionOf(german, 'nps').title, questionOf(german, 'why').title, german.thankYouText]).toEqual([
      'Deutsch: nps.title',
      'Deutsch: why.title',
      'Deutsch: thanks',
    ])
  })

  test('that is missing or empty leaves the text as it is', () => {
    const half = { ...draft, translations: { de: { questions: { nps: { title: ' ' } } } } }
    expect(questionOf(inLanguage(half, 'de'), 'nps').title).toBe('Would you recommend us?')
    expect(inLanguage(draft, 'fr')).toBe(draft)
  })

  test('is not asked for texts that are empty', () => {
    expect(translatableOf(draft).flatMap(({ texts }) => texts.map(({ id }) => id))).toEqual(['nps.title', 'why.title'])
  })
})
