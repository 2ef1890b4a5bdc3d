import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDateReader, dateOrderOf } from '../../../jobs/src/imports/dates.ts'
import { readMetadata } from '../../../jobs/src/imports/metadata.ts'
import { type Reading, readBoolean, readNumber, readRating, readTags } from '../../../jobs/src/imports/values.ts'

const none = { dateOrder: null, ratingScale: null }

function outcome(reading: Reading<unknown>): unknown {
  return 'error' in reading ? reading.error : reading.value
}

test.each([
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T09:30:00.123456Z', '2026-11-20T09:30:00.123Z'],
  ['2026-11-20T09:30:00+02:00', '2026-11-20T07:30:00.000Z'],
  ['2026-11-20T09:30', '2026-11-20T09:30:00.000Z'],
  ['2026-11-20 09:30:00', '2026-11-20T09:30:00.000Z'],
  ['2026-11-20 09:30:00 UTC', '2026-11-20T09:30:00.000Z'],
  ['2026-11-20 09:30:00 -0800', '2026-11-20T17:30:00.000Z'],
  ['2026-11-20 9:30', '2026-11-20T09:30:00.000Z'],
  ['2026/11/20 09:30', '2026-11-20T09:30:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-11-20T09:30:00.123Z', '2026-11-20T09:30:00.123Z'],
  ['2026-11-20T24:00:00Z', '2026-11-21T00:00:00.000Z'],
  ['Fri, 20 Nov 2026 09:30:00 +0000', '2026-11-20T09:30:00.000Z'],
  ['20.11.2026', '2026-11-20T00:00:00.000Z'],
  ['1.2.2026 9:05', '2026-02-01T09:05:00.000Z'],
  ['Nov 20, 2026', '2026-11-20T00:00:00.000Z'],
  ['November 20, 2026, 9:30 PM', '2026-11-20T21:30:00.000Z'],
  ['Nov 20, 2026 9:30\u{202F}AM', '2026-11-20T09:30:00.000Z'],
  ['20 November 2026', '2026-11-20T00:00:00.000Z'],
  ['20-Nov-26', '2026-11-20T00:00:00.000Z'],
  ['20/11/2026', '2026-11-20T00:00:00.000Z'],
  ['11/20/26 9:30 PM', '2026-11-20T21:30:00.000Z'],
  ['11-20-2026', '2026-11-20T00:00:00.000Z'],
  ['3/4/2026', 'ambiguous_date'],
  ['30/30/2026', 'invalid_format'],
  ['2026-02-30', 'invalid_format'],
  ['2026-02-30T09:30:00Z', 'invalid_format'],
  ['0000-01-01', 'invalid_format'],
  ['2026', 'invalid_format'],
  ['45306', 'invalid_format'],
  ['1763631000', 'invalid_format'],
  ['09:30', 'invalid_format'],
  ['2026-W46', 'invalid_format'],
  ['yesterday', 'invalid_format'],
])('the date %j is read as %j', (cell, value) => {
  expect(outcome(createDateReader(none)(cell))).toBe(value)
})

test('an order decides dates that allow both', () => {
  expect(outcome(createDateReader({ ...none, dateOrder: 'dmy' })('3/4/2026'))).toBe('2026-04-03T00:00:00.000Z')
  expect(outcome(createDateReader({ ...none, dateOrder: 'mdy' })('3/4/2026'))).toBe('2026-03-04T00:00:00.000Z')
  expect(outcome(createDateReader({ ...none, dateOrder: 'mdy' })('20/11/2026'))).toBe('invalid_format')
  expect(['3/4/2026', '20/11/2026', '11/20/2026', '2026-11-20'].map(dateOrderOf)).toEqual([null, 'dmy', 'mdy', null])
})

test('the form of the date before changes no date', () => {
  const dates = ['20.11.2026', 'Nov 20, 2026', '2026/11/20', 'May 1, 2026', '20-Nov-26', '1.5.2026', 'soon', '20 November 2026 9:30 AM']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...dates)), (cells) => {
      const read = createDateReader(none)
      expect(cells.map(read)).toEqual(cells.map((cell) => createDateReader(none)(cell)))
    }),
  )
})

test.each([
  ['5', 5],
  ['4.5', 5],
  ['4,4', 4],
  ['4/5', 4],
  ['8/10', 4],
  ['9 / 10', 5],
  ['70 of 100', 4],
  ['80%', 4],
  ['5 stars', 5],
  ['1 star', 1],
  ['Four', 4],
  ['FIVE', 5],
  ['★★★★☆', 4],
  ['⭐⭐⭐⭐⭐', 5],
  ['⭐️⭐️', 2],
  ['☆☆☆☆☆', 'invalid_value'],
  ['0', 'invalid_value'],
  ['6', 'ambiguous_rating'],
  ['8 stars', 'invalid_value'],
  ['4/7', 'invalid_value'],
  ['11/10', 'invalid_value'],
  ['-1', 'invalid_format'],
  ['good', 'invalid_format'],
])('the rating %j is read as %j', (cell, value) => {
  expect(outcome(readRating(cell, none))).toBe(value)
})

test('a scale decides bare ratings, halves are rounded up', () => {
  const on = (ratingScale: 10 | 100, cells: string[]) => cells.map((cell) => outcome(readRating(cell, { ...none, ratingScale })))
  expect(on(10, ['10', '9', '5', '1', '0', '4/5'])).toEqual([5, 5, 3, 1, 'invalid_value', 4])
  expect(on(100, ['90', '50', '101'])).toEqual([5, 3, 'invalid_value'])
})

test('yes, numbers and tags are closed lists', () => {
  expect(['TRUE', 'yes', '1', 'No', '0', 'maybe'].map((cell) => outcome(readBoolean(cell)))).toEqual([
    true,
    true,
    true,
    false,
    false,
    'invalid_value',
  ])
  expect(['-1.5', '1e-7', '0', 'Infinity', '0x10', 'CTO'].map((cell) => outcome(readNumber(cell)))).toEqual([
    -1.5,
    1e-7,
    0,
    ...Array(3).fill('invalid_format'),
  ])
  expect(['a, b;a', '["a,b","c"]', '[sic]', '[1]', ','].map((cell) => outcome(readTags(cell)))).toEqual([
    ['a', 'b'],
    ['a,b', 'c'],
    ['[sic]'],
    ['[1]'],
    [],
  ])
})

test('metadata is a JSON object that the API could have received', () => {
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`
  const cells = ['{"a":[1,null]}', '[1]', 'null', '{"a":', '{"a":9007199254740993}', '{"a":1e400}', '{"\\u0000":1}', deep]
  expect(cells.map((cell) => outcome(readMetadata(cell)))).toEqual([
    { a: [1, null] },
    ...['invalid_format', 'invalid_format', 'invalid_format'],
    ...['invalid_value', 'invalid_value', 'invalid_value', 'invalid_value'],
  ])
})
