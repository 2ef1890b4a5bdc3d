import { describe, expect, test } from 'vitest'
import {
  addQuestion,
  changeOption,
  changeQuestion,
  changeRef,
  changeType,
  duplicateQuestion,
  moveQuestion,
  newQuestion,
  removeQuestion,
  withOptions,
} from '../../web/src/dashboard/surveys/builder/changes.ts'
import {
  adoptIds,
  changesOf,
  type Draft,
  draftOf,
  isSameContent,
  numberOf,
  shownQuestions,
} from '../../web/src/dashboard/surveys/builder/draft.ts'
import { typeOrder } from '../../web/src/dashboard/surveys/question-types.ts'
import { surveyOf } from './records.ts'
import { questionOf } from './survey-desk.ts'

const draft = draftOf(surveyOf())
const refs = ({ questions }: Draft) => questions.map(({ ref }) => ref)
const rulesOf = (changed: Draft, ref: string) => questionOf(changed, ref).condition?.rules

describe('what is sent', () => {
  test('is nothing when nothing changed, whatever the order of the fields of a condition', () => {
    const survey = surveyOf()
    expect(changesOf(draft, survey)).toBeNull()
    const questions = survey.questions.map((question) =>
      question.show_if ? { ...question, show_if: { rules: [{ value: 6, op: 'lte', ref: 'nps' }], match: 'all' } } : question,
    ) as typeof survey.questions
    expect(changesOf(draft, surveyOf({ questions }))).toBeNull()
    expect(isSameContent(survey, surveyOf({ questions, status: 'active', updated_at: 'later' }))).toBe(true)
  })

  test('is only the fields that changed', () => {
    expect(changesOf({ ...draft, thankYouText: ' Thanks! ' }, surveyOf())).toEqual({ thank_you_text: 'Thanks!' })
    expect(changesOf({ ...draft, responseLimit: '100', isOncePerPerson: true }, surveyOf())).toEqual({
      response_limit: 100,
      one_per_respondent: true,
    })
  })

  test('fills a question without a text, which the service refuses, and shows it empty again', () => {
    const changes = changesOf(changeQuestion(draft, 'q-why', { title: '  ' }), surveyOf())
    expect(changes?.questions?.[1]).toMatchObject({ id: 'q-why', title: 'Untitled question' })
    const questions = shownQuestions(changeQuestion(draft, 'q-why', { title: '' }))
    expect(draftOf(surveyOf({ questions })).questions[1]?.title).toBe('')
  })

  test.each(typeOrder)('of a new question of the type %s is complete, and unchanged once it is stored', (type) => {
    const changed = addQuestion(draft, newQuestion(type, draft))
    const stored = surveyOf({ questions: shownQuestions(changed) })
    expect(changesOf(draftOf(stored), stored)).toBeNull()
    expect(stored.questions.at(-1)?.type).toBe(type)
  })

  test('leaves out translations that are empty, or of questions and choices that are gone', () => {
    const choice = { ...newQuestion('single_choice', draft), key: 'c', ref: 'how', options: withOptions([], ['A friend']) }
    const texts = {
      how: { title: 'Wie?', description: ' ', options: { a_friend: 'Freunde', gone: 'Weg' } },
      gone: { title: 'Weg' },
      why: { title: '' },
    }
    const changed = { ...addQuestion(draft, choice), translations: { de: { questions: texts, thank_you_text: ' ' }, fr: {} } }
    expect(changesOf(changed, surveyOf())?.translations).toEqual({
      de: { questions: { how: { title: 'Wie?', options: { a_friend: 'Freunde' } } } },
      fr: {},
    })
  })

  test('has numbers with a comma or a point, and none for what is no number', () => {
    expect(['1', ' 2,5 ', '2.5', '', ' ', 'many', '1,2,3'].map(numberOf)).toEqual([1, 2.5, 2.5, null, null, null, null])
  })
})

describe('ids', () => {
  test('of the service go to the questions that were sent, also when they moved or changed meanwhile', () => {
    const sent = addQuestion(draft, { ...newQuestion('rating', draft), key: 'new' })
    const saved = surveyOf({
      questions: shownQuestions(sent).map((question) => ({ ...question, id: question.id === 'new' ? 'made' : question.id })),
    })
    const meanwhile = changeQuestion(moveQuestion(sent, 'new', 0), 'new', { title: 'Stars?' })
    expect(adoptIds(meanwhile, sent, saved).questions.map(({ key, id }) => [key, id])).toEqual([
      ['new', 'made'],
      ['q-nps', 'q-nps'],
      ['q-why', 'q-why'],
    ])
  })

  test('are not given to a question whose type changed meanwhile', () => {
    const sent = addQuestion(draft, { ...newQuestion('rating', draft), key: 'new' })
    const saved = surveyOf({ questions: shownQuestions(sent) })
    expect(questionOf(adoptIds(changeType(sent, 'new', 'nps'), sent, saved), 'rating').id).toBeUndefined()
  })

  test('go when the type changes, as the results of the old type stay with it', () => {
    expect(questionOf(changeType(draft, 'q-nps', 'rating'), 'nps').id).toBeUndefined()
    expect(questionOf(changeType(draft, 'q-nps', 'nps'), 'nps').id).toBe('q-nps')
  })

  test('keep the keys of questions on the page', () => {
    const known = { ...draft, questions: draft.questions.map((question) => ({ ...question, key: `key of ${question.ref}` })) }
    expect(draftOf(surveyOf(), known).questions.map(({ key }) => key)).toEqual(['key of nps', 'key of why'])
  })
})

describe('questions', () => {
  test('are added, moved and removed', () => {
    const added = addQuestion(draft, { ...newQuestion('rating', draft), key: 'new' }, 1)
    expect(refs(added)).toEqual(['nps', 'rating', 'why'])
    expect(refs(moveQuestion(added, 'new', 2))).toEqual(['nps', 'why', 'rating'])
    expect(refs(moveQuestion(added, 'new', 0))).toEqual(['rating', 'nps', 'why'])
    expect(refs(removeQuestion(added, 'new'))).toEqual(['nps', 'why'])
  })

  test('that cannot be moved stay, and nothing counts as changed', () => {
    expect(moveQuestion(draft, 'q-nps', -1)).toBe(draft)
    expect(moveQuestion(draft, 'q-nps', 2)).toBe(draft)
    expect(moveQuestion(draft, 'gone', 0)).toBe(draft)
  })

  test('get a free name', () => {
    const second = addQuestion(draft, newQuestion('nps', draft))
    expect(refs(addQuestion(second, newQuestion('nps', second)))).toEqual(['nps', 'why', 'nps_2', 'nps_3'])
  })

  test('that are duplicated have their translations, and are new to the service', () => {
    const translated = { ...draft, translations: { de: { questions: { nps: { title: 'Empfehlen?' } } } } }
    const copied = duplicateQuestion(translated, 'q-nps')
    expect(refs(copied)).toEqual(['nps', 'nps_2', 'why'])
    expect(questionOf(copied, 'nps_2').id).toBeUndefined()
    expect(copied.translations.de?.questions).toEqual({ nps: { title: 'Empfehlen?' }, nps_2: { title: 'Empfehlen?' } })
  })

  test('keep what another type does not have, until it is chosen again', () => {
    const rated = changeQuestion(draft, 'q-why', { maxLength: '200' })
    expect(questionOf(changeType(changeType(rated, 'q-why', 'number'), 'q-why', 'long_text'), 'why').maxLength).toBe('200')
    expect(questionOf(changeType(draft, 'q-why', 'single_choice'), 'why').options.map(({ value }) => value)).toEqual([
      'option_1',
      'option_2',
    ])
  })
})

describe('a name that changes', () => {
  test('changes in conditions and translations', () => {
    const translated = { ...draft, translations: { de: { questions: { nps: { title: 'Empfehlen?' } } } } }
    const renamed = changeRef(translated, 'q-nps', 'score')
    expect(rulesOf(renamed, 'why')).toEqual([{ ref: 'score', op: 'lte', value: 6 }])
    expect(renamed.translations.de?.questions).toEqual({ score: { title: 'Empfehlen?' } })
  })

  test('changes nothing else while two questions have it', () => {
    const both = changeRef(draft, 'q-why', 'nps')
    expect(refs(both)).toEqual(['nps', 'nps'])
    expect(both.questions[1]?.condition?.rules[0]?.ref).toBe('nps')
    expect(changeRef(both, 'q-why', 'why').questions[1]?.condition?.rules[0]?.ref).toBe('nps')
  })
})

describe('the value of a choice', () => {
  const how = { ...newQuestion('single_choice', draft), key: 'c', ref: 'how', options: withOptions([], ['A friend', 'Search']) }
  const [friend] = how.options
  if (!friend) throw new Error('There is no choice')
  const rule = { ref: 'how', op: 'equals', value: 'a_friend' } as const
  const chosen = changeQuestion(addQuestion(draft, how, 0), 'q-why', {
    condition: { match: 'any', rules: [rule, { ...rule, op: 'one_of', value: ['a_friend', 'search'] }] },
  })
  const translated = { ...chosen, translations: { de: { questions: { how: { options: { a_friend: 'Freunde', search: 'Suche' } } } } } }

  test('follows its label, in conditions and translations, too', () => {
    const changed = changeOption(translated, 'c', friend, 'A colleague')
    expect(questionOf(changed, 'how').options[0]).toMatchObject({ value: 'a_colleague', label: 'A colleague' })
    expect(rulesOf(changed, 'why')?.map(({ value }) => value)).toEqual(['a_colleague', ['a_colleague', 'search']])
    expect(changed.translations.de?.questions?.how?.options).toEqual({ search: 'Suche', a_colleague: 'Freunde' })
  })

  test('stays once responses may have it', () => {
    const published = changeQuestion(translated, 'c', { options: how.options.map((option) => ({ ...option, isKept: true })) })
    const changed = changeOption(published, 'c', { ...friend, isKept: true }, 'A colleague')
    expect(questionOf(changed, 'how').options[0]).toMatchObject({ value: 'a_friend', label: 'A colleague' })
    expect(draftOf(surveyOf({ status: 'active', questions: shownQuestions(chosen) })).questions[0]?.options[0]?.isKept).toBe(true)
  })

  test('stays when it was given by hand', () => {
    const own = { ...friend, value: 'word_of_mouth' }
    const given = changeQuestion(draft, 'q-nps', { options: [own] })
    expect(changeOption(given, 'q-nps', own, 'A colleague').questions[0]?.options[0]?.value).toBe('word_of_mouth')
  })

  test('is unique, and made of letters and digits of any script', () => {
    const values = withOptions([], ['A, b!', 'a b', 'Über uns', '日本', '!?', '???']).map(({ value }) => value)
    expect(values).toEqual(['a_b', 'a_b_2', 'über_uns', '日本', 'option', 'option_2'])
  })

  test('is not given twice to labels that are pasted twice', () => {
    expect(withOptions(how.options, ['Search', ' A friend ', '', 'New']).map(({ label }) => label)).toEqual(['A friend', 'Search', 'New'])
  })
})
