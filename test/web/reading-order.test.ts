import { expect, test } from 'vitest'
import { rangeOf, toggled } from '../../web/src/dashboard/inbox/picks.ts'
import { afterLeaving, afterSteps } from '../../web/src/dashboard/inbox/reading-order.ts'

const items = ['ada', 'ben', 'cleo', 'dora'].map((id) => ({ id }))

test('a step goes to the next one, and stays at both ends', () => {
  expect(afterSteps(items, { index: 1, lastIndex: 1 }, 1)?.id).toBe('cleo')
  expect(afterSteps(items, { index: 1, lastIndex: 1 }, -1)?.id).toBe('ada')
  expect(afterSteps(items, { index: 3, lastIndex: 3 }, 1)?.id).toBe('dora')
  expect(afterSteps(items, { index: 0, lastIndex: 0 }, -1)?.id).toBe('ada')
  expect(afterSteps([], { index: -1, lastIndex: 0 }, 1)).toBeUndefined()
})

test('when a colleague has decided on what is read, the next one is at its place, and the one before above it', () => {
  // Between Ada and Ben.
  const gone = { index: -1, lastIndex: 1 }
  expect(afterSteps(items, gone, 1)?.id).toBe('ben')
  expect(afterSteps(items, gone, -1)?.id).toBe('ada')
})

test('after a decision the next one is read', () => {
  expect(afterLeaving(items, { index: 1, lastIndex: 1 }, new Set(['ben']))?.id).toBe('cleo')
})

test('after a decision on several, the next one that stays is read', () => {
  expect(afterLeaving(items, { index: 1, lastIndex: 1 }, new Set(['ben', 'cleo']))?.id).toBe('dora')
})

test('after a decision on the last one, the one before it is read', () => {
  expect(afterLeaving(items, { index: 3, lastIndex: 3 }, new Set(['dora', 'cleo']))?.id).toBe('ben')
})

test('after a decision on all of them, nothing is read', () => {
  expect(afterLeaving(items, { index: 2, lastIndex: 2 }, new Set(items.map(({ id }) => id)))).toBeUndefined()
})

test('what left the list before the decision on it leaves the place to the next one, not to the last', () => {
  expect(afterLeaving(items, { index: -1, lastIndex: 1 }, new Set(['gone']))?.id).toBe('ben')
})

test('a range reaches from one row to another, up or down', () => {
  expect(rangeOf(items, 'ben', 'dora')).toEqual(['ben', 'cleo', 'dora'])
  expect(rangeOf(items, 'dora', 'ben')).toEqual(['ben', 'cleo', 'dora'])
  expect(rangeOf(items, 'ben', 'ben')).toEqual(['ben'])
})

test('a range from a row that the list does not show is none', () => {
  expect(rangeOf(items, 'gone', 'ben')).toBeNull()
  expect(rangeOf(items, null, 'ben')).toBeNull()
})

test('a row is picked and taken back, and the others stay', () => {
  const picked = toggled(new Set(['ada']), 'ben')
  expect([...picked]).toEqual(['ada', 'ben'])
  expect([...toggled(picked, 'ada')]).toEqual(['ben'])
  expect([...picked]).toEqual(['ada', 'ben'])
})
