import { type AnswerValue, checkAnswers, Question } from '@earshot/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

let made = 0
/** A question with an id and the defaults of its type. */
function ask(type: Question['type'], fields: object = {}): Question {
  made += 1
  const id = `019aa3c1-7d40-7c3e-9f3b-${String(made).padStart(12, '0')}`
  return Question.parse({ id, ref: `${type}_${made}`, type, title: 'What?', ...fields })
}

const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
  { value: 'c', label: 'C' },
]
const many = Array.from({ length: 10_000 }, (_, index) => String(index))

/** For each type: a question, answers that it takes, and answers that it refuses. */
const cases: [Question, AnswerValue[], AnswerValue[]][] = [
  [ask('short_text', { max_length: 3 }), ['x', '日本語', '😀😀😀'], ['', 'four', 1, true, ['x']]],
  [ask('long_text'), ['x'.repeat(10_000)], ['x'.repeat(10_001), 5]],
  [ask('single_choice', { options }), ['a', 'c'], ['d', 'A', 1, ['a'], true]],
  [
    ask('multiple_choice', { options, min_choices: 1, max_choices: 2 }),
    [['a'], ['c', 'b']],
    [[], ['a', 'a'], ['d'], ['a', 'b', 'c'], 'a', many],
  ],
  [ask('rating', { max: 7 }), [1, 7], [0, 8, 1.5, '5', true]],
  [ask('nps'), [0, 10], [-1, 11, 9.5, '9']],
  [ask('csat'), [1, 5], [0, 6]],
  [ask('ces'), [1, 7], [0, 8]],
  [ask('boolean'), [true, false], ['true', 1]],
  [ask('number', { min: -1.5, max: 3 }), [-1.5, 0.1, 3], [-1.6, 3.1, '1', true]],
  [ask('number'), [Number.MAX_SAFE_INTEGER], [2 ** 53 + 2, 1e300]],
  [ask('number', { integer: true }), [5], [5.5]],
  [
    ask('date', { min: '2024-02-28', max: '2024-03-01' }),
    ['2024-02-29'],
    ['2024-02-30', '2024-02-27', '2024-03-02', '29.02.2024', '2024-2-29', 20240229],
  ],
  [ask('email'), ['ada@example.com'], ['ada', 'ada@', 'a b@example.com', `${'a'.repeat(250)}@example.com`]],
  [ask('url'), ['https://example.com/x?y#z'], ['example.com', 'javascript:alert(1)', 'ftp://example.com']],
  [ask('consent', { required: true }), [true], [false, 'yes']],
  [ask('consent'), [true, false], [1]],
  [ask('statement'), [], ['x', true]],
]
for (const [question, taken, refused] of cases) {
  test(`${question.ref} takes what fits its type and limits, and nothing else`, () => {
    for (const value of taken) {
      const { answers, errors } = checkAnswers([question], [{ question_id: question.id, value }])
      expect({ value, answers, errors }).toEqual({ value, answers: [{ question_id: question.id, type: question.type, value }], errors: [] })
    }
    for (const value of refused) {
      const { answers, errors } = checkAnswers([question], [{ question_id: question.id, value }])
      expect({ value: String(value).slice(0, 20), answers, fields: errors.map(({ field }) => field) }).toEqual({
        ...{ value: String(value).slice(0, 20), answers: [] },
        fields: [`answers.${question.ref}`],
      })
    }
  })
}

const nps = ask('nps', { ref: 'recommend', required: true })
const why = ask('long_text', {
  ref: 'why',
  required: true,
  show_if: { match: 'all', rules: [{ ref: 'recommend', op: 'lte', value: 6 }] },
})
const again = ask('boolean', { ref: 'again', show_if: { match: 'all', rules: [{ ref: 'why', op: 'answered' }] } })
const answer = ({ id }: Question, value: AnswerValue | null) => ({ question_id: id, value })

test('a question that is not shown needs no answer, takes none, and counts as unanswered for later ones', () => {
  expect(checkAnswers([nps, why, again], [answer(nps, 9)])).toMatchObject({ errors: [], nps_score: 9 })
  expect(checkAnswers([nps, why, again], [answer(nps, 6)]).errors).toMatchObject([{ field: 'answers.why', code: 'required' }])
  expect(checkAnswers([nps, why, again], [answer(nps, 9), answer(why, 'x')]).errors).toMatchObject([
    { field: 'answers.why', code: 'not_shown' },
  ])
  expect(checkAnswers([nps, why, again], [answer(nps, 9), answer(again, true)]).errors).toMatchObject([
    { field: 'answers.again', code: 'not_shown' },
  ])
  expect(checkAnswers([nps, why, again], [answer(again, true), answer(why, 'x'), answer(nps, 0)])).toMatchObject({
    ...{ errors: [], nps_score: 0 },
    answers: [{ question_id: nps.id }, { question_id: why.id }, { question_id: again.id }],
  })
})

test('an answer of null is none, one given twice or to no question of this version is refused', () => {
  expect(checkAnswers([nps], [answer(nps, null)]).errors).toMatchObject([{ field: 'answers.recommend', code: 'required' }])
  expect(checkAnswers([nps], [answer(nps, 1), answer(nps, 2)]).errors).toMatchObject([{ field: 'answers.recommend', code: 'duplicate' }])
  expect(checkAnswers([nps], [answer(nps, 1), answer(why, 'x')]).errors).toMatchObject([
    { field: 'answers.1.question_id', code: 'unknown_question' },
  ])
})

const single = ask('single_choice', { ref: 'single', options })
const multiple = ask('multiple_choice', { ref: 'multiple', options })
const day = ask('date', { ref: 'day' })
test.each<[object, Question, AnswerValue | null, boolean]>([
  [{ op: 'equals', value: 'a' }, single, 'a', true],
  [{ op: 'equals', value: 'a' }, single, 'b', false],
  [{ op: 'not_equals', value: 'a' }, single, 'b', true],
  [{ op: 'not_equals', value: 'a' }, single, null, false],
  [{ op: 'one_of', value: ['a', 'b'] }, single, 'b', true],
  [{ op: 'one_of', value: ['a', 'b'] }, single, 'c', false],
  [{ op: 'includes', value: 'b' }, multiple, ['a', 'b'], true],
  [{ op: 'includes', value: 'b' }, multiple, ['a'], false],
  [{ op: 'gte', value: '2026-01-01' }, day, '2026-01-01', true],
  [{ op: 'gte', value: '2026-01-01' }, day, '2025-12-31', false],
  [{ op: 'lte', value: '2026-01-01' }, day, '2025-12-31', true],
  [{ op: 'answered' }, single, 'a', true],
  [{ op: 'answered' }, single, null, false],
  [{ op: 'not_answered' }, single, null, true],
  [{ op: 'not_answered' }, single, 'a', false],
])('the rule %j', (rule, question, value, isShown) => {
  const shown = ask('boolean', { ref: 'shown', show_if: { match: 'all', rules: [{ ref: question.ref, ...rule }] } })
  const { errors } = checkAnswers([question, shown], [answer(question, value), answer(shown, true)])
  expect(errors.map(({ code }) => code)).toEqual(isShown ? [] : ['not_shown'])
})

test('any answers to any questions are stored as given or refused by name, never changed', () => {
  const questions = cases.map(([question]) => question)
  const value = fc.oneof(
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string()),
    fc.constantFrom(...cases.flatMap(([, taken]) => taken)),
  )
  const given = fc.array(fc.record({ question_id: fc.constantFrom(...questions.map(({ id }) => id)), value: fc.option(value) }), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(given, (list) => {
      const { answers, errors } = checkAnswers(questions, list)
      for (const stored of answers) expect(list).toContainEqual({ question_id: stored.question_id, value: stored.value })
      for (const { field } of errors) expect(questions.map(({ ref }) => `answers.${ref}`)).toContain(field)
      expect(new Set(answers.map(({ question_id }) => question_id)).size).toBe(answers.length)
    }),
  )
})
