import { describe, expect, test } from 'vitest'
import { canMatch, matches } from '../../web/src/dashboard/inbox/matching.ts'
import { submissionOf } from './records.ts'

const zoe = submissionOf({
  ...{ id: 'zoe', state: 'approved', kind: 'video', channel: 'import', rating: 4, tags: ['pricing', 'setup'] },
  ...{ title: 'Straße', body: 'It saved us a whole WEEK.' },
  author: { ...submissionOf({ id: 'zoe' }).author, name: 'Zoë Àlvarez', company: 'Acme', email: 'zoe@example.com' },
})

describe('a list shows a submission', () => {
  test.each([
    ['without filters', {}],
    ['of its state', { state: 'approved' }],
    ['of its kind', { kind: 'video' }],
    ['of its channel', { channel: 'import' }],
    ['of one of its tags', { tag: 'setup' }],
    ['of its rating', { min_rating: 4 }],
    ['of a lower rating', { min_rating: 3 }],
    ['of all of these', { state: 'approved', kind: 'video', channel: 'import', tag: 'pricing', min_rating: 1, search: 'week' }],
  ] as const)('%s', (_name, narrowing) => {
    expect(matches(narrowing, zoe)).toBe(true)
  })
})

describe('a list does not show a submission', () => {
  test.each([
    ['of another state', { state: 'pending' }],
    ['of another kind', { kind: 'text' }],
    ['of another channel', { channel: 'public' }],
    ['without its tag', { tag: 'price' }],
    ['of a lower rating', { min_rating: 5 }],
    ['that matches all filters but one', { state: 'approved', kind: 'video', tag: 'press' }],
  ] as const)('%s', (_name, narrowing) => {
    expect(matches(narrowing, zoe)).toBe(false)
  })
})

describe('a search finds words', () => {
  test.each([
    ['of the body, whatever the case', 'week'],
    ['of the title', 'Straße'],
    ['of the name, without accents', 'zoe alvarez'],
    ['of the name, with accents that are written in two characters', 'Zoe\u0308'],
    ['of the company', 'ACME'],
    ['of the e-mail address', 'example.com'],
    ['in any order and of several fields', 'acme  saved'],
    ['that begin in the middle of a word', 'aved'],
  ])('%s', (_name, search) => {
    expect(matches({ search }, zoe)).toBe(true)
  })

  test('only if each of them occurs', () => {
    expect(matches({ search: 'saved nobody' }, zoe)).toBe(false)
  })

  test('in no field that searches do not look at', () => {
    expect(matches({ search: 'pricing' }, zoe)).toBe(false)
  })
})

test('a submission without a rating is in no list of a least rating', () => {
  expect(matches({ min_rating: 1 }, { ...zoe, rating: null })).toBe(false)
})

test('a change that names no more than its state and kind may be in a list that is narrowed by more', () => {
  expect(canMatch({ state: 'pending', tag: 'press', search: 'x' }, { state: 'pending', kind: 'text' })).toBe(true)
  expect(canMatch({ state: 'pending', kind: 'video' }, { state: 'pending', kind: 'text' })).toBe(false)
  expect(canMatch({ state: 'pending' }, { state: 'deleted', kind: 'text' })).toBe(false)
})
